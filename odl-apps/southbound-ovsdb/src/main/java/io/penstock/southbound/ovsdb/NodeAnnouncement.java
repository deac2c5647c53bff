// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a node says about itself, in table {@code Open_vSwitch} of its database and in the row of its bridge.
 *
 * @param name name of the node, unique among the connected ones
 * @param ports the ports its operator offers
 * @param vhostDirectory directory of the vhost-user sockets, empty if none was given
 * @param ovsVersion version of Open vSwitch, empty if the node's start script did not write it
 * @param dpdkVersion version of DPDK, empty if not built in or the daemon never ran
 * @param dpdkInitialized whether the daemon started DPDK
 * @param functions what it has for network functions; empty as long as it has no bridge, or nobody there has said so
 * @param floods where frames come from that flood the slow path of its switch, each as port/VLAN
 * @param acceptedFaults names of faults of its switch with which it runs all the same
 * @param protocol the versions of the protocol that its programs speak
 */
public record NodeAnnouncement(String name, List<AnnouncedPort> ports, String vhostDirectory, String ovsVersion,
        String dpdkVersion, boolean dpdkInitialized, Optional<NodeFunctions> functions, Set<String> floods,
        Set<String> acceptedFaults, SpokenProtocol protocol) {
    /** Copies what is given. */
    public NodeAnnouncement {
        ports = List.copyOf(ports);
        floods = Set.copyOf(floods);
        acceptedFaults = Set.copyOf(acceptedFaults);
    }

    /** Why the node may not do all that is configured, and what to do; empty if there is nothing to say. */
    public String warning() {
        return Stream.of(protocol.difference().orElse(""), SwitchFaults.warning(this)).filter(text -> !text.isEmpty())
            .collect(Collectors.joining("; "));
    }

    /** The same with what the row of its bridge has. */
    NodeAnnouncement with(final Optional<NodeFunctions> itsFunctions, final Set<String> itsFloods,
            final SpokenProtocol itsProtocol) {
        return new NodeAnnouncement(name, ports, vhostDirectory, ovsVersion, dpdkVersion, dpdkInitialized,
            itsFunctions, itsFloods, acceptedFaults, itsProtocol);
    }
}
