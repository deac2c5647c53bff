// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import java.util.SortedMap;

/**
 * A tenant.
 *
 * @param reason for the status; empty for {@link Kind#ACTIVE}
 * @param id in the network; 0 before it has one
 * @param publicAddress of its source NAT; 0 if there is none
 * @param vrfs VRF ids by node
 * @param boundLeases of its DHCP server
 * @param portBlocks of its subscribers
 */
public record TenantState(Kind kind, String reason, int id, long publicAddress, SortedMap<String, Integer> vrfs,
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
