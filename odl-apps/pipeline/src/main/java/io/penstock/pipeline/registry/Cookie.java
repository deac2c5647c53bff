// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import java.util.Optional;

/**
 * Flow cookies: magic 8 bits, layout version 8, owner kind 8, reserved 8, owner id 32. Only flows that carry the magic
 * are ours. The owner leads from a flow on the switch back to what asked for it.
 */
public final class Cookie {
    /** First eight bits of every cookie. */
    public static final int MAGIC = 0x9e;
    /** Raised when tables or registers change their meaning. */
    public static final int LAYOUT_VERSION = 4;

    /** Who asked for a flow, and what the owner id is. */
    public enum Kind {
        NODE(1, "the node itself; id 0"),
        BACKBONE(2, "the backbone; id 0"),
        TENANT(3, "a tenant; id is its VRF id"),
        LEARNED(4, "a flow that the switch learned, or the node's agent wrote; id is the VRF id"),
        SESSION(5, "a session that the switch learned; id is the VRF id"),
        OWED(6, "connections that the switch has still to forget; id is the conntrack zone");

        private final int number;
        private final String meaning;

        Kind(final int number, final String meaning) {
            this.number = number;
            this.meaning = meaning;
        }

        /** One phrase for the pipeline document. */
        public String meaning() {
            return meaning;
        }

        /** Number within the cookie. */
        public int number() {
            return number;
        }
    }

    private Cookie() {
        // Only functions.
    }

    /** The cookie of an owner. */
    public static long of(final Kind kind, final int ownerId) {
        return (long) MAGIC << 56 | (long) LAYOUT_VERSION << 48 | (long) kind.number << 40 | ownerId & 0xffffffffL;
    }

    /** The cookie of a VRF. */
    public static long of(final Kind kind, final VrfId owner) {
        return of(kind, owner.number());
    }

    /** Whether a cookie names an owner of this kind, in the layout of today. */
    public static boolean is(final long cookie, final Kind kind) {
        return (cookie ^ of(kind, 0)) >>> 32 == 0;
    }

    /** The VRF whose flow it is; nothing for one that is of the node, or names a zone, or is not ours. */
    public static Optional<VrfId> vrf(final long cookie) {
        return is(cookie, Kind.TENANT) || is(cookie, Kind.LEARNED) || is(cookie, Kind.SESSION)
            ? VrfId.of(ownerId(cookie)) : Optional.empty();
    }

    /** The owner id. */
    public static int ownerId(final long cookie) {
        return (int) cookie;
    }
}
