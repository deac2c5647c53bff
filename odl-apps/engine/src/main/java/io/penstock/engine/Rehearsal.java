// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.SerialTasks;
import io.penstock.base.tasks.SharedThreads;
import io.penstock.configuration.ConfigurationStore;
import io.penstock.configuration.DatastoreException;
import io.penstock.configuration.Stored;
import io.penstock.engine.node.NodeRehearsal;
import io.penstock.engine.node.Observation;
import io.penstock.journal.Assignment;
import io.penstock.pipeline.allocation.Allocations;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does on a member that stands by what a takeover does, and discards it. Java loads, links and compiles code when it is
 * used first: the first takeover of a member takes more than a second longer else. Ends by itself after some rounds.
 * Safe for all threads.
 */
public final class Rehearsal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);
    /** After the start of a member, which is busy enough. */
    private static final Duration BEGIN = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final int ROUNDS = 6;
    /** In each round: their plans use the same code. */
    private static final int NODES = 2;

    private final ConfigurationStore store;
    private final BooleanSupplier standsBy;
    private final Runnable load;
    private final SharedThreads threads = new SharedThreads("penstock-rehearsal", 1);
    private final SerialTasks tasks = new SerialTasks("rehearsal", threads);
    private final NodeRehearsal nodes;
    private int rounds;
    private boolean rehearsed;

    /**
     * Begins.
     *
     * @param southbounds are read alone
     * @param standsBy whether another member leads; no round takes place while this one does
     * @param load done before the first round; may take seconds
     */
    public Rehearsal(final ConfigurationStore store, final Southbounds southbounds, final BooleanSupplier standsBy,
            final Runnable load) {
        this.store = requireNonNull(store);
        this.standsBy = requireNonNull(standsBy);
        this.load = requireNonNull(load);
        nodes = new NodeRehearsal(southbounds.openFlow(), southbounds.bridges(), tasks);
        tasks.later(this::next, BEGIN);
    }

    private void next() {
        if (standsBy.getAsBoolean()) {
            if (rounds == 0) {
                load.run();
            }
            rounds++;
            try {
                round();
            } catch (DatastoreException e) {
                LOG.debug("The configuration is read later", e);
            }
        }
        if (rounds < ROUNDS) {
            tasks.later(this::next, PAUSE);
        }
    }

    private void round() {
        final Allocations allocations = store.readAllocations();
        final Stored stored = store.stored(allocations);
        if (!stored.isValid()) {
            return;
        }
        Assignment.of(stored.snapshot(), allocations);
        allocations.nodes().keySet().stream().filter(stored.snapshot().nodes()::containsKey).limit(NODES)
            .forEach(node -> nodes.observe(stored.snapshot(), allocations, node).whenComplete((seen, error) ->
                say(node, seen, error)));
    }

    private void say(final String node, final Observation seen, final @Nullable Throwable error) {
        if (error != null) {
            LOG.debug("The switch of node {} cannot be read", node, error);
        } else if (!rehearsed) {
            rehearsed = true;
            LOG.info("A takeover has been rehearsed: {} flows of node {} were read, and compared with a plan of {}",
                seen.dump().flows().size(), node, seen.plan().size());
        }
    }

    @Override
    public void close() {
        tasks.close();
        threads.close();
    }
}
