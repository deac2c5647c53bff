// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.List;

/**
 * A port the node offers to the bridge, as its operator declared it.
 *
 * @param name name of the port
 * @param role {@code access} (towards tenants), {@code uplink} (towards the backbone) or {@code service} (resolvers)
 * @param type {@code system} or {@code dpdk}
 * @param devargs DPDK device arguments, empty for a system port
 * @param receiveQueues number of receive queues, 1 to 64
 * @param queueCores the cores that poll the first of them, in their order
 */
public record AnnouncedPort(String name, String role, String type, String devargs, int receiveQueues,
        List<Integer> queueCores) {
    public AnnouncedPort {
        queueCores = List.copyOf(queueCores);
    }

    /** A port with one receive queue, of any core. */
    public AnnouncedPort(final String name, final String role, final String type, final String devargs) {
        this(name, role, type, devargs, 1, List.of());
    }
}
