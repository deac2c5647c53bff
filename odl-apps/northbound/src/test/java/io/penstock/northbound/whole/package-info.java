// SPDX-License-Identifier: Apache-2.0
/**
 * A controller in one JVM, without Karaf: the real OpenFlowPlugin, OVSDB server, MD-SAL and engine, with switches of
 * their own that have a dummy datapath. No packets but those that a test makes up, and no RESTCONF; requests are the
 * bodies of RESTCONF and take the way behind its door.
 */
package io.penstock.northbound.whole;
