// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import com.google.common.util.concurrent.FluentFuture;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;
import org.opendaylight.mdsal.dom.api.DOMDataTreeCandidate;
import org.opendaylight.mdsal.dom.api.DOMDataTreeCommitCohort;
import org.opendaylight.mdsal.dom.api.DOMDataTreeCommitCohortRegistration;
import org.opendaylight.mdsal.dom.api.DOMDataTreeCommitCohortRegistry;
import org.opendaylight.mdsal.dom.api.DOMDataTreeIdentifier;
import org.opendaylight.mdsal.dom.spi.store.DOMStoreReadTransaction;
import org.opendaylight.mdsal.dom.spi.store.DOMStoreReadWriteTransaction;
import org.opendaylight.mdsal.dom.spi.store.DOMStoreThreePhaseCommitCohort;
import org.opendaylight.mdsal.dom.spi.store.ForwardingDOMStoreThreePhaseCommitCohort;
import org.opendaylight.mdsal.dom.spi.store.SnapshotBackedWriteTransaction;
import org.opendaylight.mdsal.dom.store.inmemory.InMemoryDOMDataStore;
import org.opendaylight.yangtools.concepts.AbstractObjectRegistration;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.PathArgument;
import org.opendaylight.yangtools.yang.data.api.schema.DataContainerNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNodes;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeCandidateNode;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeModification;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeModificationCursor;
import org.opendaylight.yangtools.yang.data.tree.api.ModificationType;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/**
 * MD-SAL's store in memory, which knows no commit cohorts, with cohorts: each is asked about the trees that a
 * transaction changes, before the commit. As in the datastore of a controller a cohort sees the state after the
 * transaction with all transactions that were committed before, also those that began later.
 */
final class GuardedStore extends InMemoryDOMDataStore implements DOMDataTreeCommitCohortRegistry {
    private final List<Entry> entries = new CopyOnWriteArrayList<>();
    private final EffectiveModelContext model;

    private record Entry(DOMDataTreeIdentifier tree, DOMDataTreeCommitCohort cohort) {
        YangInstanceIdentifier path() {
            return tree.getRootIdentifier();
        }
    }

    private record Candidate(DOMDataTreeIdentifier getRootPath, DataTreeCandidateNode getRootNode)
        implements DOMDataTreeCandidate { }

    /** A container before and after a transaction, and those of its children that differ, by identity. */
    private record Change(Optional<NormalizedNode> getDataBefore, Optional<NormalizedNode> getDataAfter)
            implements DataTreeCandidateNode {
        @Override
        public PathArgument getIdentifier() {
            return getDataAfter.or(() -> getDataBefore).orElseThrow().getIdentifier();
        }

        @Override
        public Collection<DataTreeCandidateNode> getChildNodes() {
            return Stream.of(getDataBefore, getDataAfter).flatMap(Optional::stream)
                .flatMap(data -> ((DataContainerNode) data).body().stream()).map(child -> child.getIdentifier())
                .distinct().flatMap(child -> getModifiedChild(child).stream()).toList();
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // what a transaction does not touch stays the same object
        public Optional<DataTreeCandidateNode> getModifiedChild(final PathArgument child) {
            final Optional<NormalizedNode> before = NormalizedNodes.findNode(getDataBefore, child);
            final Optional<NormalizedNode> after = NormalizedNodes.findNode(getDataAfter, child);
            return before.orElse(null) == after.orElse(null) ? Optional.empty()
                : Optional.of(new Change(before, after));
        }

        @Override
        public ModificationType getModificationType() {
            return getDataAfter.isEmpty() ? ModificationType.DELETE : ModificationType.WRITE;
        }
    }

    GuardedStore(final String name, final ExecutorService listeners, final EffectiveModelContext model) {
        super(name, listeners);
        this.model = model;
        onModelContextUpdated(model);
    }

    @Override
    public <T extends DOMDataTreeCommitCohort> DOMDataTreeCommitCohortRegistration<T> registerCommitCohort(
            final DOMDataTreeIdentifier tree, final T cohort) {
        final Entry entry = new Entry(tree, cohort);
        entries.add(entry);
        return new CohortRegistration<>(cohort, () -> entries.remove(entry));
    }

    private static final class CohortRegistration<T extends DOMDataTreeCommitCohort>
            extends AbstractObjectRegistration<T> implements DOMDataTreeCommitCohortRegistration<T> {
        private final Runnable end;

        CohortRegistration(final T cohort, final Runnable end) {
            super(cohort);
            this.end = end;
        }

        @Override
        protected void removeRegistration() {
            end.run();
        }
    }

    @Override
    protected DOMStoreThreePhaseCommitCohort transactionReady(final SnapshotBackedWriteTransaction<String> transaction,
            final DataTreeModification modification, final Exception readyError) {
        final DOMStoreThreePhaseCommitCohort ready = super.transactionReady(transaction, modification, readyError);
        if (readyError != null) {
            return ready;
        }
        return new ForwardingDOMStoreThreePhaseCommitCohort() {
            @Override
            protected DOMStoreThreePhaseCommitCohort delegate() {
                return ready;
            }

            @Override
            public ListenableFuture<Boolean> canCommit() {
                return FluentFuture.from(ready.canCommit()).transformAsync(
                    good -> verdict(transaction.getIdentifier(), modification), MoreExecutors.directExecutor());
            }
        };
    }

    private ListenableFuture<Boolean> verdict(final String id, final DataTreeModification modification) {
        final List<ListenableFuture<?>> verdicts = new ArrayList<>();
        // Commits come from one thread, so nothing is committed between this and the commit.
        try (DOMStoreReadTransaction before = newReadOnlyTransaction();
                DOMStoreReadWriteTransaction rebased = newReadWriteTransaction()) {
            modification.applyToCursor(new Replay(rebased));
            for (final Entry entry : entries) {
                final Optional<NormalizedNode> now = Futures.getUnchecked(before.read(entry.path()));
                final Optional<NormalizedNode> after = Futures.getUnchecked(rebased.read(entry.path()));
                if (after.orElse(null) != now.orElse(null)) {
                    verdicts.add(entry.cohort().canCommit(id, model, List.of(new Candidate(entry.tree(),
                        new Change(now, after)))));
                }
            }
        }
        return Futures.whenAllSucceed(verdicts).call(() -> true, MoreExecutors.directExecutor());
    }

    /** Does to a transaction what a modification does, whatever state that began with. */
    private static final class Replay implements DataTreeModificationCursor {
        private final DOMStoreReadWriteTransaction onto;
        private YangInstanceIdentifier place = YangInstanceIdentifier.empty();

        Replay(final DOMStoreReadWriteTransaction onto) {
            this.onto = onto;
        }

        @Override
        public void enter(final PathArgument child) {
            place = place.node(child);
        }

        @Override
        public void enter(final PathArgument... path) {
            enter(List.of(path));
        }

        @Override
        public void enter(final Iterable<PathArgument> path) {
            path.forEach(this::enter);
        }

        @Override
        public void exit() {
            place = place.coerceParent();
        }

        @Override
        public void exit(final int depth) {
            for (int level = 0; level < depth; level++) {
                exit();
            }
        }

        @Override
        public Optional<NormalizedNode> readNode(final PathArgument child) {
            return Futures.getUnchecked(onto.read(place.node(child)));
        }

        @Override
        public void delete(final PathArgument child) {
            onto.delete(place.node(child));
        }

        @Override
        public void merge(final PathArgument child, final NormalizedNode data) {
            onto.merge(place.node(child), data);
        }

        @Override
        public void write(final PathArgument child, final NormalizedNode data) {
            onto.write(place.node(child), data);
        }

        @Override
        public void close() {
            // The transaction belongs to another.
        }
    }
}
