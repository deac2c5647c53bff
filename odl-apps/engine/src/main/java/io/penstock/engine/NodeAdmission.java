// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import com.google.common.net.InetAddresses;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Snapshot;
import java.util.Optional;

/** Which peers are believed to be the nodes that they say they are (ADR 49). */
public enum NodeAdmission {
    /** Nodes that are configured with the address from which they connect. */
    CONFIGURED,
    /** These, and nodes without such an address, which any peer can be. */
    ANY;

    /** Why a peer with an address may not be the node of a name; empty if it may. */
    Optional<String> refuses(final Snapshot snapshot, final String name, final String address) {
        final Node node = snapshot.nodes().get(name);
        if (node != null && node.address().isPresent()) {
            final String configured = node.address().orElseThrow();
            return InetAddresses.forString(configured).equals(InetAddresses.forString(address)) ? Optional.empty()
                : Optional.of("node " + name + " is configured with the address " + configured + ", not " + address
                    + "; correct the node's address if it has moved");
        }
        if (this == ANY) {
            return Optional.empty();
        }
        return Optional.of(node == null
            ? "node " + name + " is not configured; add it with the address " + address + " if it is yours"
            : "node " + name + " has no address; configure " + address + " if that is the node");
    }
}
