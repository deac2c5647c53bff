// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.Map;
import java.util.Optional;

/**
 * Told of nodes that come, change and go. The calls for one node never overlap and come in order; those for different
 * nodes come on different threads. A call may block, but is not to wait for an answer of its node: while many updates
 * wait for its end no answer is read. What it throws is logged and changes nothing else.
 */
public interface OvsdbListener {
    /**
     * Whether a peer may be the node that it says it is. Asked before {@link #nodeConnected}, and again after each
     * change of the peer's announcement and each {@link OvsdbServer#reconsider}; a node that may no longer be is gone.
     * Must not block.
     *
     * @param announcement what it says of itself
     * @param address from which the peer connects
     * @return why it may not, for people; empty if it may
     */
    default Optional<String> refuses(final NodeAnnouncement announcement, final String address) {
        return Optional.empty();
    }

    /** A node announced itself. Follows {@link #nodeDisconnected} if the same name was here before. */
    void nodeConnected(NodeSession session);

    /** The node is gone, or took back or changed its name. Its session is of no more use. */
    void nodeDisconnected(String name);

    /**
     * The ports of the node's bridge without the local one: once after {@link #nodeConnected}, then whenever a state
     * changes, each time all of them.
     */
    void portStatesChanged(String name, Map<String, PortState> states);

    /** Something else in the announcement of a connected node changed, such as its ports or its floods. */
    default void announcementChanged(final NodeSession session) {
        // For those who read the announcement when they need it.
    }
}
