// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;
import java.util.Optional;

/** A compute node and its physical ports. */
public record Node(String name, String vhostDirectory, List<Port> ports) {
    public Node {
        ports = List.copyOf(ports);
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

    /** A port; {@code devargs} is empty for a system device. */
    public record Port(String name, Role role, PortType type, String devargs) { }

    /** The port that leads to the resolver of the node. */
    public Optional<Port> servicePort() {
        return ports.stream().filter(port -> port.role() == Role.SERVICE).findFirst();
    }

    /** Whether there is such a port in that role. */
    public boolean has(final String port, final Role role) {
        return ports.stream().anyMatch(each -> each.name().equals(port) && each.role() == role);
    }
}
