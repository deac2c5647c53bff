// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.Stored;
import io.penstock.configuration.grant.Grantor;
import io.penstock.configuration.grant.Transition;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.plan.Fixtures;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** A loop between grantors, a store and nodes that do as a test wants. */
abstract class ConfigurationLoopCase {
    static final Snapshot TWO = Fixtures.network(Fixtures.tenant("acme", 100), Fixtures.tenant("globex", 101));

    final List<String> steps = new CopyOnWriteArrayList<>();
    final List<Transition> woken = new CopyOnWriteArrayList<>();
    final TaskThread thread = new TaskThread("test-engine");
    /** What is to be tried again some seconds later. */
    private final BlockingQueue<Runnable> retries = new LinkedBlockingQueue<>();
    volatile Stored stored = new Stored(TWO, List.of());
    volatile RuntimeException readFailure;
    volatile boolean failsAfterwards;
    volatile RuntimeException writeFailure;
    final AtomicInteger reads = new AtomicInteger();
    final Proposing first = new Proposing("first", true);
    final Proposing second = new Proposing("second", false);
    final ConfigurationLoop loop = new ConfigurationLoop(before -> {
        reads.incrementAndGet();
        if (readFailure != null) {
            throw readFailure;
        }
        return stored;
    }, transition -> {
        steps.add("write");
        if (writeFailure != null) {
            throw writeFailure;
        }
    }, List.of(new IdGrantor((node, connections) -> { }), first, second), transition -> steps.add("adjust"),
        transition -> {
            steps.add("wake");
            woken.add(transition);
        }, thread, new Overdue(Ticker.systemTicker()), (task, pause) -> retries.add(task));

    @AfterEach
    void close() {
        thread.close();
    }

    /** A grantor as the test wants it. */
    final class Proposing implements Grantor {
        final String name;
        final boolean essential;
        volatile UnaryOperator<Allocations> next = before -> before;
        volatile Predicate<Tenant> fault = tenant -> false;
        final AtomicInteger asked = new AtomicInteger();

        Proposing(final String name, final boolean essential) {
            this.name = name;
            this.essential = essential;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Allocations propose(final Snapshot snapshot, final Allocations before) {
            asked.incrementAndGet();
            if (snapshot.tenants().values().stream().filter(tenant -> !snapshot.frozen().contains(tenant.name()))
                    .anyMatch(fault)) {
                throw new IllegalStateException("on purpose");
            }
            return next.apply(before);
        }

        @Override
        public void stored(final Transition transition) {
            if (essential && failsAfterwards) {
                throw new IllegalStateException("on purpose");
            }
            steps.add(name);
        }

        @Override
        public boolean isEssential() {
            return essential;
        }
    }

    static Allocations moved(final Allocations before, final String tenant, final Ipv4 address) {
        final Map<String, TenantAllocation> tenants = new HashMap<>(before.tenants());
        tenants.computeIfPresent(tenant, (name, had) -> new TenantAllocation(had.id(), Optional.of(address)));
        return before.withTenants(tenants);
    }

    /** Lets the seconds pass after which something is tried again. */
    void tryAgain() throws InterruptedException {
        thread.run(requireNonNull(retries.poll(1, TimeUnit.MINUTES), "nothing is tried again"));
    }

    long takeOver() throws Exception {
        return loop.takenOver().get(1, TimeUnit.MINUTES);
    }

    /** A pass that does not read the configuration, and all before it. */
    void pass() throws Exception {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        loop.mark();
        thread.run(() -> done.complete(null));
        done.get(1, TimeUnit.MINUTES);
    }
}
