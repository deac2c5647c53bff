// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A compute node and its physical ports.
 *
 * @param address from which alone it is believed; nothing if that does not matter
 * @param dropReports whether the controller is shown some of the packets that its switch drops
 * @param ftpHelper whether its switch may look into packets of FTP
 */
public record Node(String name, String vhostDirectory, List<Port> ports, Optional<String> address,
        boolean dropReports, boolean ftpHelper) {
    public Node {
        requireNonNull(address);
        ports = List.copyOf(ports);
    }

    /** A node of any address that reports no drops. */
    public Node(final String name, final String vhostDirectory, final List<Port> ports) {
        this(name, vhostDirectory, ports, Optional.empty(), false, true);
    }

    /** The same with a switch that may not look into packets of FTP. */
    public Node withoutFtpHelper() {
        return new Node(name, vhostDirectory, ports, address, dropReports, false);
    }

    /** What a port is for. */
    public enum Role {
        /** Carries VLANs of tenants. */
        ACCESS,
        /** Leads to the transit network. */
        UPLINK,
        /** Leads to the resolver of the node. */
        SERVICE
    }

    /** What a port is in Open vSwitch. */
    public enum PortType { SYSTEM, DPDK }

    /**
     * The receive queues of a port.
     *
     * @param number how many there are, 1 to 64
     * @param cores polling cores by the numbers of queues; the switch chooses the core of a queue that is not there
     */
    public record Queues(int number, SortedMap<Integer, Integer> cores) {
        /** The only kind of a system device. */
        public static final Queues ONE = new Queues(1, new TreeMap<>());

        public Queues {
            cores = Collections.unmodifiableSortedMap(new TreeMap<>(cores));
        }
    }

    /** A port; {@code devargs} is empty for a system device. */
    public record Port(String name, Role role, PortType type, String devargs, Queues queues) {
        /** A port with one receive queue, of any core. */
        public Port(final String name, final Role role, final PortType type, final String devargs) {
            this(name, role, type, devargs, Queues.ONE);
        }
    }

    /** The port that leads to the resolver of the node. */
    public Optional<Port> servicePort() {
        return ports.stream().filter(port -> port.role() == Role.SERVICE).findFirst();
    }

    /** Whether there is such a port in that role. */
    public boolean has(final String port, final Role role) {
        return ports.stream().anyMatch(each -> each.name().equals(port) && each.role() == role);
    }
}
