// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.dhcp;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Leases that an operator wants to end. Safe for all threads; never blocks. */
final class Releases {
    private final Runnable mark;
    private final List<Release> waiting = new ArrayList<>();

    /**
     * One of them.
     *
     * @param done completed when that is stored, with the lease as it was
     */
    record Release(String tenant, Ipv4 address, CompletableFuture<Lease> done) { }

    Releases(final Runnable mark) {
        this.mark = requireNonNull(mark);
    }

    CompletableFuture<Lease> add(final String tenant, final Ipv4 address) {
        final CompletableFuture<Lease> done = new CompletableFuture<>();
        synchronized (this) {
            waiting.add(new Release(tenant, address, done));
        }
        mark.run();
        return done;
    }

    /** Hands out all that is there, in its order. */
    synchronized List<Release> take() {
        final List<Release> taken = List.copyOf(waiting);
        waiting.clear();
        return taken;
    }
}
