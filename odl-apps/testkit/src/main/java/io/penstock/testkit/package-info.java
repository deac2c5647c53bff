// SPDX-License-Identifier: Apache-2.0
/**
 * What integration tests stand on: private Open vSwitch instances, hosts in network namespaces, packet traces. Whatever
 * a test makes carries the name of its {@link io.penstock.testkit.TestRun}, so runs do not meet and a crashed one can
 * be swept away. Knows the planner and nothing of OpenDaylight or of a test framework; failures are
 * {@link java.lang.AssertionError}s.
 */
package io.penstock.testkit;
