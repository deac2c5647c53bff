// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;

/** A compute node and its physical ports. */
public record Node(String name, String vhostDirectory, List<Port> ports) {
    public Node {
        ports = List.copyOf(ports);
    }

    /** What a port is for. */
    public enum Role { ACCESS, UPLINK }

    /** What a port is in Open vSwitch. */
    public enum PortType { SYSTEM, DPDK }

    /** A port; {@code devargs} is empty for a system device. */
    public record Port(String name, Role role, PortType type, String devargs) { }

    /** Whether there is such a port in that role. */
    public boolean has(final String port, final Role role) {
        return ports.stream().anyMatch(each -> each.name().equals(port) && each.role() == role);
    }
}
