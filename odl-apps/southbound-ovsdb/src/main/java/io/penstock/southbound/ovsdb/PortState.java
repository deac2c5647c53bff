// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

/**
 * What the switch made of one port.
 *
 * @param name name of the port
 * @param ofport its OpenFlow port number; -1 while the switch has not, or could not, set it up
 * @param linkUp whether the link is up; of a vhost-user port, whether the function is connected
 * @param error what the switch says went wrong, empty if nothing
 */
public record PortState(String name, int ofport, boolean linkUp, String error) { }
