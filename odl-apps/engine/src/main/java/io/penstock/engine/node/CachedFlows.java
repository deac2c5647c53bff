// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.plan.PlanDiff;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.ForeignFlow;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Decides after which changes the node has to renew its cached flows, and says when it has (ADR 26 and 94). For the
 * thread of one worker.
 */
final class CachedFlows {
    /** Where packets get in: from hosts, and to public addresses. */
    private static final Set<Table> ENTRIES = EnumSet.of(Table.CLASSIFY, Table.BACKBONE_IN);

    private final Supplier<Optional<CompletableFuture<Void>>> drop;
    /** Whether the switch may have cached flows that lead where the tables lead no more. */
    private volatile boolean doubtful;
    /** Whether the last change is in force only after the next drop. */
    private volatile boolean awaited;
    private CompletableFuture<Void> dropped = CompletableFuture.completedFuture(null);
    /** Attachments that have left. Hosts may go on sending there, so their cached flows may be of any age. */
    private final Set<FlowSpec.Key> left = new HashSet<>();

    /**
     * Doubts nothing yet.
     *
     * @param drop has the node throw cached flows away, while its agent can be told
     */
    CachedFlows(final Supplier<Optional<CompletableFuture<Void>>> drop) {
        this.drop = requireNonNull(drop);
    }

    /** Done when packets go the ways of the last change, cached flows or not, or when the node does not tell. */
    CompletableFuture<Void> dropped() {
        return dropped;
    }

    /** Whether cached flows may still be there that change what is in force. */
    boolean pending() {
        return awaited || !dropped.isDone();
    }

    /**
     * Takes a change into account, before it is made.
     *
     * @param fresh VRFs of which the switch knew nothing before
     */
    void doubt(final PlanDiff diff, final Set<VrfId> fresh) {
        final boolean back = bringsBack(diff);
        // Another thread may say at the same time that dropping has failed: what it says must not be undone.
        if (leadsElsewhere(diff, fresh) || closes(diff)) {
            doubtful = true;
            awaited = true;
        } else if (back) {
            // Until the drop the switch drops packets of the attachment at worst, so the change is in force without it.
            doubtful = true;
        }
    }

    /** Takes into account that a change was made and no drop ordered. */
    void doubt() {
        doubtful = true;
        awaited = true;
    }

    /** Takes into account that flows of another program, which are not planned, are removed. */
    void doubt(final Collection<ForeignFlow> removed) {
        if (removed.stream().anyMatch(flow -> Table.ofNumber(flow.table()).filter(Table::steers).isPresent())) {
            doubtful = true;
            awaited = true;
        }
    }

    /** Orders a drop where one is due. Packets of others need not wait for it: it is tried again with later changes. */
    void drop() {
        if (!doubtful) {
            return;
        }
        drop.get().ifPresent(told -> {
            final boolean inForceThen = awaited;
            doubtful = false;
            awaited = false;
            final CompletableFuture<Void> done = told.exceptionally(error -> {
                if (inForceThen) {
                    awaited = true;
                }
                doubtful = true;
                return null;
            });
            if (inForceThen) {
                dropped = done;
            }
        });
    }

    /**
     * Whether an entry is closed: an attachment leaves, or a public address. A cached flow of it may outlive the next
     * rounds of the revalidators, for the reason in ADR 26: a packet that is looked up meanwhile makes a wider flow.
     */
    private static boolean closes(final PlanDiff diff) {
        return diff.excess().stream().anyMatch(flow -> ENTRIES.contains(flow.table())
            && Cookie.is(flow.cookie(), Cookie.Kind.TENANT));
    }

    /** Notes the attachments that leave. Says whether one is there again whose packets were dropped meanwhile. */
    private boolean bringsBack(final PlanDiff diff) {
        final boolean back = !diff.missing().stream().filter(flow -> flow.table() == Table.CLASSIFY)
            .map(FlowSpec::key).filter(left::remove).toList().isEmpty();
        diff.excess().stream().filter(flow -> flow.table() == Table.CLASSIFY).map(FlowSpec::key).forEach(left::add);
        return back;
    }

    /**
     * Whether packets that had a way have another one now: through chains, or past lists. Nothing else, but an entry
     * that is closed or an attachment that comes back, is worth that all packets of the node are looked up anew.
     */
    private static boolean leadsElsewhere(final PlanDiff diff, final Set<VrfId> fresh) {
        return Stream.of(diff.missing(), diff.changed(), diff.excess()).flatMap(List::stream)
            .filter(flow -> flow.table().steers())
            .anyMatch(flow -> !Cookie.is(flow.cookie(), Cookie.Kind.TENANT)
                || Cookie.vrf(flow.cookie()).filter(fresh::contains).isEmpty());
    }
}
