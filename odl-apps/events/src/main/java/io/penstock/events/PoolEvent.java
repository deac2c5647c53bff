// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import io.penstock.pipeline.net.Prefix;
import java.util.Optional;

/**
 * Something that an operator wants to know of public addresses.
 *
 * @param owner of the addresses
 * @param prefix all the addresses, or those that are drained; absent for a pool as a whole
 * @param used addresses of a pool, blocks of a port-block
 * @param size used and free ones
 */
public record PoolEvent(Kind kind, Owner owner, Optional<Prefix> prefix, long used, long size)
        implements OperatorEvent {
    /** What happened. */
    public enum Kind {
        /** As much as the high threshold says is used, or more. */
        HIGH_THRESHOLD,
        /** After that, as much as the low threshold says is used, or less. */
        LOW_THRESHOLD,
        /** Nothing of what is drained is used any more. */
        DRAINED,
        /** Something was to be given and nothing is left. */
        EXHAUSTED,
        /** After that, something is free again. */
        AVAILABLE
    }

    /** Whose the addresses are. */
    public sealed interface Owner {
        /** The leaves that name it. */
        Details in(Details details);
    }

    /** A pool. */
    public record OfPool(String name) implements Owner {
        @Override
        public Details in(final Details details) {
            return details.with("pool", name);
        }

        @Override
        public String toString() {
            return "pool " + name;
        }
    }

    /** An entry of a tenant's list port-block. */
    public record OfPortBlock(String tenant, Prefix inside) implements Owner {
        @Override
        public Details in(final Details details) {
            return details.with("tenant", tenant).with("inside-prefix", inside);
        }

        @Override
        public String toString() {
            return "tenant " + tenant + " port-block " + inside;
        }
    }

    @Override
    public String notification() {
        return "penstock-operations:nat-pool-event";
    }

    @Override
    public Severity severity() {
        return switch (kind) {
            // Subscribers wait for a block. A pool is full when its last address was given, and no tenant lacks one.
            case EXHAUSTED -> owner instanceof OfPortBlock ? Severity.ERROR : Severity.WARNING;
            case HIGH_THRESHOLD -> Severity.WARNING;
            case LOW_THRESHOLD, DRAINED, AVAILABLE -> Severity.NOTICE;
        };
    }

    @Override
    public String text() {
        return owner + prefix.map(part -> " " + part).orElse("") + ": " + OperatorEvent.word(kind) + ", " + used
            + " of " + size + " used";
    }

    @Override
    public Details details() {
        return owner.in(Details.none().with("event", OperatorEvent.word(kind))).with("prefix", prefix)
            .with("used", used).with("size", size);
    }
}
