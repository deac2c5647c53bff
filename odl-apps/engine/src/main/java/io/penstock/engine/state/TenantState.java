// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import io.penstock.engine.node.NodeCounts.Count;
import io.penstock.pipeline.intent.Tenant.Attachment;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.VrfId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;

/**
 * A tenant.
 *
 * @param reason for the status; empty for {@link Kind#ACTIVE}
 * @param id in the network; 0 before it has one
 * @param address of its source NAT; absent if there is none
 * @param pool that the address is of; absent if there is none
 * @param mappings its other public addresses
 * @param attachments in the order of the configuration
 * @param chain of packets that no rule sends into another one
 * @param nodes by name
 * @param boundLeases of its DHCP server
 * @param portBlocks of its subscribers
 */
public record TenantState(Kind kind, String reason, int id, Optional<Ipv4> address, Optional<String> pool,
        List<Mapping> mappings, List<Attachment> attachments, Optional<String> chain, SortedMap<String, OnNode> nodes,
        int boundLeases, int portBlocks) implements Status<TenantState> {
    /** Whether packets of a tenant pass as configured. */
    public enum Kind {
        /** They do. */
        ACTIVE,
        /** They pass, with a restriction. */
        RESTRICTED,
        /** They may not pass: some of its flows are missing or wrong. */
        LACKING,
        /** A switch has not confirmed the configuration yet. */
        INSTALLING,
        /** A node is not connected. */
        WAITING,
        /** They are dropped: a function is down. */
        STOPPED,
        /** The configuration cannot be carried out. */
        FAILED
    }

    /**
     * Public addresses of inside addresses.
     *
     * @param kind name of its list in the model
     * @param usedBlocks port blocks that subscribers have; absent for other kinds
     */
    public record Mapping(String kind, String inside, String outside, OptionalInt usedBlocks) { }

    /**
     * The tenant on a node.
     *
     * @param vrf its VRF there
     * @param sessions tracked connections; absent when they are not counted
     * @param dropped what was dropped of it there
     */
    public record OnNode(VrfId vrf, OptionalLong sessions, Count dropped) { }

    @Override
    public boolean isLike(final TenantState other) {
        return kind == other.kind;
    }

    /** In words, as one text. */
    public String text() {
        return switch (kind) {
            case ACTIVE -> "active";
            case RESTRICTED -> "active, " + reason;
            default -> reason;
        };
    }
}
