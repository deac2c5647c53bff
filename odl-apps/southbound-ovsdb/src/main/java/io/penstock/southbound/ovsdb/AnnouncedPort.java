// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

/**
 * A port the node offers to the bridge, as its operator declared it.
 *
 * @param name name of the port
 * @param role {@code access} (towards tenants) or {@code uplink} (towards the backbone)
 * @param type {@code system} or {@code dpdk}
 * @param devargs DPDK device arguments, empty for a system port
 */
public record AnnouncedPort(String name, String role, String type, String devargs) { }
