// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import io.penstock.events.OperatorEvent;
import io.penstock.events.PoolEvent;
import io.penstock.events.QuotaEvent;
import io.penstock.journal.Assignment;
import io.penstock.journal.Change;
import io.penstock.pipeline.net.Prefix;
import java.time.Instant;
import java.util.Optional;

/** Records of IPFIX for the changes of the journal and for events: the natEvent of RFC 8158 that says the same. */
final class NatRecords {
    private static final int ADDRESSES_EXHAUSTED = 3;
    private static final int BINDING_ENTRY_CREATED = 8;
    private static final int PORTS_EXHAUSTED = 12;
    private static final int QUOTA_EXCEEDED = 13;
    private static final int ADDRESS_BOUND = 14;
    private static final int BLOCK_ALLOCATED = 16;
    private static final int THRESHOLD_REACHED = 18;
    /** Of natThresholdEvent. */
    private static final int POOL_HIGH = 1;
    private static final int POOL_LOW = 2;
    /** Of natQuotaExceededEvent: all sessions that a user may have. */
    private static final int USER_ENTRIES = 3;
    private static final String SESSIONS = "sessions";

    private NatRecords() {
        // Functions only.
    }

    /**
     * A change; empty for deterministic blocks, which follow from the configuration and need no log (RFC 7422). The
     * number of each event that ends something is one more than that of its beginning.
     */
    static Optional<FlowRecord> of(final Change change) {
        final Assignment given = change.assignment();
        final int ends = change.begins() ? 0 : 1;
        final long time = change.time().toEpochMilli();
        final Prefix inside = given.inside().orElse(Prefix.DEFAULT);
        if (given.forwarded().isPresent()) {
            final Assignment.Forwarded ports = given.forwarded().orElseThrow();
            return Optional.of(FlowRecord.of(Template.FORWARD, time, BINDING_ENTRY_CREATED + ends, given.tenantId(),
                number(inside), number(given.outside()), ports.protocol(), ports.insidePort(), ports.publicPort(),
                given.tenant()));
        }
        if (given.blocks().isEmpty()) {
            return Optional.of(FlowRecord.of(Template.ADDRESS_BINDING, time, ADDRESS_BOUND + ends, given.tenantId(),
                number(inside), inside.length(), number(given.outside()), given.tenant()));
        }
        final Assignment.Blocks block = given.blocks().orElseThrow();
        return !given.kind().equals(Assignment.PORT_BLOCK) ? Optional.empty()
            : Optional.of(FlowRecord.of(Template.PORT_BLOCK, time, BLOCK_ALLOCATED + ends, given.tenantId(),
                number(inside), number(given.outside()), block.firstPort(), block.firstPort() + block.size() - 1,
                given.tenant()));
    }

    /** An event; empty for one of which RFC 8158 knows nothing. */
    static Optional<FlowRecord> of(final OperatorEvent event, final Instant now) {
        final long time = now.toEpochMilli();
        if (event instanceof PoolEvent pool) {
            return pool.owner() instanceof PoolEvent.OfPool owner ? of(pool.kind(), owner, time)
                : of(pool.kind(), (PoolEvent.OfPortBlock) pool.owner(), time);
        }
        return event instanceof QuotaEvent quota && quota.begins() && quota.quota().equals(SESSIONS)
            ? Optional.of(FlowRecord.of(Template.QUOTA_EXCEEDED, time, QUOTA_EXCEEDED, USER_ENTRIES, quota.tenant()))
            : Optional.empty();
    }

    private static Optional<FlowRecord> of(final PoolEvent.Kind kind, final PoolEvent.OfPool pool, final long time) {
        return switch (kind) {
            case EXHAUSTED -> Optional.of(FlowRecord.of(Template.ADDRESSES_EXHAUSTED, time, ADDRESSES_EXHAUSTED,
                pool.name()));
            case HIGH_THRESHOLD -> Optional.of(FlowRecord.of(Template.THRESHOLD, time, THRESHOLD_REACHED, POOL_HIGH,
                pool.name()));
            case LOW_THRESHOLD -> Optional.of(FlowRecord.of(Template.THRESHOLD, time, THRESHOLD_REACHED, POOL_LOW,
                pool.name()));
            case DRAINED, AVAILABLE -> Optional.empty();
        };
    }

    private static Optional<FlowRecord> of(final PoolEvent.Kind kind, final PoolEvent.OfPortBlock block,
            final long time) {
        return kind != PoolEvent.Kind.EXHAUSTED ? Optional.empty()
            : Optional.of(FlowRecord.of(Template.PORTS_EXHAUSTED, time, PORTS_EXHAUSTED, number(block.inside()),
                block.inside().length(), block.tenant()));
    }

    private static long number(final Prefix prefix) {
        return prefix.address().number();
    }
}
