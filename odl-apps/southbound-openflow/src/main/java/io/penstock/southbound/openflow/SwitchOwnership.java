// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opendaylight.mdsal.singleton.common.api.ClusterSingletonService;
import org.opendaylight.mdsal.singleton.common.api.ClusterSingletonServiceProvider;
import org.opendaylight.mdsal.singleton.common.api.ClusterSingletonServiceRegistration;
import org.opendaylight.mdsal.singleton.common.api.ServiceGroupIdentifier;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/**
 * Gives OpenFlowPlugin each switch that is connected to this member. A switch is connected to the member that has the
 * engine, and its database says which that is, so that members need not elect an owner of it as well: OpenDaylight's
 * election takes 5 to 20 s after a failure. Stands in the place of OpenDaylight's own provider, whose bundle is not
 * installed (karaf/pom.xml). Safe for all threads.
 *
 * <p>A service that joins a group of which another one is being closed starts when that is closed. OpenFlowPlugin loses
 * one now and then when connections of a switch follow each other at once, and never closes it
 * ({@code ContextChainHolderImpl.onNotAbleToStartMastership} destroys by the id of the device, 0.16.3): it is closed
 * here some seconds after the next one of its group came.
 */
@Component(service = ClusterSingletonServiceProvider.class, immediate = true)
public final class SwitchOwnership implements ClusterSingletonServiceProvider {
    private static final Duration LOST = Duration.ofSeconds(5);

    private final ExecutorService threads = Executors.newCachedThreadPool(
        new ThreadFactoryBuilder().setNameFormat("penstock-switch-owner-%d").setDaemon(true).build());
    private final Duration lost;
    /** The last of each group that was registered. */
    private final Map<ServiceGroupIdentifier, Owned> groups = new HashMap<>();

    @Activate
    public SwitchOwnership() {
        this(LOST);
    }

    /**
     * The same.
     *
     * @param lost after which one is closed that was not, while the next one waits
     */
    SwitchOwnership(final Duration lost) {
        this.lost = requireNonNull(lost);
    }

    @Override
    public synchronized ClusterSingletonServiceRegistration registerClusterSingletonService(
            final ClusterSingletonService service) {
        final Owned before = groups.get(service.getIdentifier());
        final Owned owned = new Owned(service, before == null ? CompletableFuture.completedFuture(null) : before.ended);
        groups.put(service.getIdentifier(), owned);
        owned.before.thenRunAsync(owned::start, threads);
        if (before != null && !before.ended.isDone()) {
            later(before::abandon);
        }
        return owned;
    }

    private void later(final Runnable task) {
        CompletableFuture.delayedExecutor(lost.toMillis(), TimeUnit.MILLISECONDS, threads).execute(task);
    }

    private synchronized void forget(final Owned owned) {
        groups.remove(owned.service.getIdentifier(), owned);
    }

    @Deactivate
    @Override
    public void close() {
        threads.shutdown();
    }

    /** One service, from its registration to the end of its closing. */
    private final class Owned implements ClusterSingletonServiceRegistration {
        private final ClusterSingletonService service;
        /** Of the service before this one in its group. */
        private final CompletableFuture<@Nullable Void> before;
        private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
        private boolean started;
        private boolean closed;

        Owned(final ClusterSingletonService service, final CompletableFuture<@Nullable Void> before) {
            this.service = requireNonNull(service);
            this.before = requireNonNull(before);
        }

        synchronized void start() {
            if (!closed) {
                started = true;
                service.instantiateServiceInstance();
            }
        }

        @Override
        public ClusterSingletonService getInstance() {
            return service;
        }

        @Override
        public void close() {
            final ListenableFuture<?> closing;
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
                closing = started ? service.closeServiceInstance() : null;
            }
            if (closing == null) {
                before.thenRun(this::end);
            } else {
                closing.addListener(this::end, MoreExecutors.directExecutor());
            }
        }

        /** Ends it for the next one of its group, also where the plugin does not know it any more. */
        void abandon() {
            if (!ended.isDone()) {
                close();
                later(this::end);
            }
        }

        private void end() {
            forget(this);
            ended.complete(null);
        }
    }
}
