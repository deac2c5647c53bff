// SPDX-License-Identifier: Apache-2.0
/** Runs the southbound on the real OpenFlowPlugin, against a real Open vSwitch. */
package io.penstock.southbound.openflow;
