// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.dhcp;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.grant.Grantor;
import io.penstock.configuration.grant.Transition;
import io.penstock.configuration.grant.VrfLookup;
import io.penstock.dhcp.Answer;
import io.penstock.dhcp.DhcpFrames;
import io.penstock.dhcp.DhcpServer;
import io.penstock.dhcp.LeaseTable;
import io.penstock.dhcp.Query;
import io.penstock.dhcp.Scope;
import io.penstock.events.DhcpPoolEvent;
import io.penstock.events.Troubles;
import io.penstock.frames.Arp;
import io.penstock.frames.Bytes;
import io.penstock.frames.Ethernet;
import io.penstock.packets.dhcp.Arrivals.Arrival;
import io.penstock.packets.dhcp.Probes.Holder;
import io.penstock.packets.dhcp.Probes.Probe;
import io.penstock.packets.dhcp.Releases.Release;
import io.penstock.packets.link.Fate;
import io.penstock.packets.link.FrameOutlet;
import io.penstock.packets.link.Place;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DHCP servers of all VRFs. What they give is a change of the {@link Allocations}; answers are held back until that
 * is stored, so that a controller that is killed at any moment has promised nothing that the next one does not know.
 * Packets may come on any thread; all else is for the thread of the engine.
 */
public final class DhcpService implements Grantor {
    private static final Logger LOG = LoggerFactory.getLogger(DhcpService.class);
    /** How often leases that nobody asks for are looked at. Seconds. */
    private static final long EXPIRY_SECONDS = 10;
    /** How long the holder of a lease may take to answer, at least, before it is asked again. Milliseconds. */
    private static final int HOLDER_MILLIS = 200;
    /** How often it is asked again before its lease goes to whoever calls itself the same: a frame may get lost. */
    private static final int ASKED_AGAIN = 2;

    private final Clock clock;
    private final Postponed flows;
    private final BiConsumer<Place, byte[]> outlet;
    private final Arrivals arrivals;
    private final Releases releases;
    private final Probes probes;
    private final DhcpServer server;
    private final LeaseTables tables = new LeaseTables();
    private final Counts counts;
    private final EmptyPools empty;
    /** Tenants on whose messages the server failed lately. */
    private final Troubles<String> faults;
    private final List<Held> held = new ArrayList<>();
    /** What operators have ended, and is not stored yet. */
    private final Map<Release, Lease> released = new LinkedHashMap<>();
    private final VrfLookup vrfs = new VrfLookup();
    /** Ids of the tenants that have a server, by name. */
    private final Map<String, Integer> ids = new HashMap<>();
    private final Map<String, Scope> scopes = new HashMap<>();
    private Snapshot served = Snapshot.empty();
    private boolean isServedStored = true;
    private Instant nextExpiry = Instant.MIN;

    /** A reply that waits for the leases to be stored. */
    private record Held(Place place, boolean bound, byte[] frame) { }

    /**
     * Nobody has asked yet.
     *
     * @param mark called on any thread when there is something to answer; must not block
     * @param timer calls {@code mark} after some milliseconds
     * @param flows sends an answer when the node it is for has the flows of the new lease
     * @param events is told of pools without a free address; must not block
     */
    public DhcpService(final Clock clock, final Runnable mark, final Timer timer, final Postponed flows,
            final FrameOutlet outlet, final Consumer<DhcpPoolEvent> events) {
        this(clock, mark, timer, flows, outlet::send, events);
    }

    DhcpService(final Clock clock, final Runnable mark, final Timer timer, final Postponed flows,
            final BiConsumer<Place, byte[]> outlet, final Consumer<DhcpPoolEvent> events) {
        this.flows = requireNonNull(flows);
        this.clock = requireNonNull(clock);
        this.outlet = requireNonNull(outlet);
        arrivals = new Arrivals(mark);
        releases = new Releases(mark);
        probes = new Probes(clock, timer);
        counts = new Counts(clock);
        server = new DhcpServer(clock);
        empty = new EmptyPools(clock, events);
        faults = new Troubles<>(clock, EmptyPools.LEAST);
    }

    /** Has the engine look after what is due then. */
    @FunctionalInterface
    public interface Timer {
        /** Marks work after a while. */
        void markAfter(long millis);
    }

    /** Takes a packet if it is a request to a DHCP server. */
    public Fate onPacketIn(final PacketIn packet) {
        return arrivals.onPacketIn(packet);
    }

    /** Takes a packet if it answers a probe for an address that may be in use. */
    public Fate onConflict(final PacketIn packet) {
        return arrivals.onConflict(packet);
    }

    /**
     * Ends a lease, or lets an address that was declined be given again. The host is not told: what it sends from the
     * address is dropped until it asks again, and it loses the address if somebody else has it by then. Never blocks.
     *
     * @return the lease as it was, complete when the end is stored; an {@link IllegalArgumentException} when there is
     *     no such lease
     */
    public CompletableFuture<Lease> release(final String tenant, final Ipv4 address) {
        return releases.add(tenant, address);
    }

    /** What became of the messages of each tenant. */
    public Counts counts() {
        return counts;
    }

    @Override
    public String name() {
        return "leases";
    }

    /**
     * Answers what has come; the same object when that changes no lease. What was answered by a call before, and not
     * {@link #stored}, is forgotten: its clients ask again.
     */
    @Override
    public Allocations propose(final Snapshot snapshot, final Allocations before) {
        held.clear();
        serve(snapshot, before);
        final Pass pass = new Pass(snapshot, before);
        final List<Release> again = List.copyOf(released.keySet());
        released.clear();
        again.forEach(pass::release);
        releases.take().forEach(pass::release);
        arrivals.take().forEach(pass::take);
        // After those who answer a probe.
        probes.due().forEach(pass::goOn);
        if (!clock.instant().isBefore(nextExpiry)) {
            nextExpiry = clock.instant().plusSeconds(EXPIRY_SECONDS);
            pass.expire();
        }
        return tables.written(before);
    }

    /** Sends the answers, for the leases are stored. */
    @Override
    public void stored(final Transition transition) {
        isServedStored = true;
        held.forEach(each -> {
            final Runnable send = () -> outlet.accept(each.place(), each.frame());
            if (each.bound()) {
                flows.whenApplied(each.place().node(), transition.after().revision(), send);
            } else {
                send.run();
            }
        });
        held.clear();
        released.forEach((release, lease) -> release.done().complete(lease));
        released.clear();
    }

    /** Runs something once a node has a revision of the desired state, or cannot get it soon. */
    @FunctionalInterface
    public interface Postponed {
        /** Runs it on any thread. */
        void whenApplied(SwitchId node, long revision, Runnable task);
    }

    /** Takes over a configuration. */
    @SuppressWarnings("ReferenceEquality") // an unchanged configuration is the same object
    private void serve(final Snapshot snapshot, final Allocations allocations) {
        if (snapshot == served && isServedStored) {
            return;
        }
        final Map<String, Integer> had = new HashMap<>();
        if (!isServedStored) {
            // Ids that were not stored come out otherwise when others are configured meanwhile.
            had.putAll(ids);
            ids.clear();
            scopes.clear();
            served = Snapshot.empty();
        }
        for (final String name : snapshot.tenantsDifferingFrom(served)) {
            scopes.remove(name);
            Optional.ofNullable(ids.remove(name)).ifPresent(id -> had.put(name, id));
            final Tenant tenant = snapshot.tenants().get(name);
            final TenantAllocation given = allocations.tenants().get(name);
            if (tenant != null && given != null && tenant.services().dhcp().isPresent()) {
                ids.put(name, given.id());
            }
        }
        served = snapshot;
        isServedStored = false;
        had.forEach((name, id) -> {
            if (!id.equals(ids.get(name))) {
                server.forget(id);
            }
        });
    }

    /** One pass over what has come. */
    private final class Pass {
        private final Snapshot snapshot;
        private final Allocations allocations;

        Pass(final Snapshot snapshot, final Allocations allocations) {
            this.snapshot = snapshot;
            this.allocations = allocations;
        }

        /** The VRF is the word of the node, which may touch its own tenants alone. */
        private @Nullable Tenant tenant(final SwitchId node, final VrfId vrf) {
            return vrfs.tenant(snapshot, allocations, node.datapathId(), vrf)
                .filter(tenant -> ids.containsKey(tenant.name())).orElse(null);
        }

        /**
         * What the server fails on must keep neither the others nor the configuration from the engine. Hosts may send
         * as many such messages as they like.
         */
        @SuppressWarnings("checkstyle:IllegalCatch")
        private void guarded(final String tenant, final Runnable task) {
            try {
                task.run();
                faults.ends(tenant);
            } catch (RuntimeException e) {
                counts.failed(tenant);
                if (faults.begins(tenant)) {
                    LOG.error("The DHCP server of tenant {} failed", tenant, e);
                } else {
                    LOG.debug("The DHCP server of tenant {} failed again", tenant, e);
                }
            }
        }

        void take(final Arrival arrival) {
            final Tenant tenant = tenant(arrival.place().node(), arrival.vrf());
            if (tenant != null) {
                guarded(tenant.name(), () -> take(tenant, arrival));
            }
        }

        private void take(final Tenant tenant, final Arrival arrival) {
            if (arrival.conflict()) {
                Ethernet.parse(Bytes.of(arrival.frame())).flatMap(frame -> Arp.parse(frame.payload()))
                    .ifPresent(arp -> probes.conflict(arrival.place(), arrival.vrf(), arp));
                return;
            }
            final Optional<String> attachment =
                arrival.place().attachment(tenant, allocations).map(Tenant.Attachment::name);
            DhcpFrames.query(arrival.frame(), attachment).ifPresentOrElse(
                query -> answer(arrival.vrf(), arrival.place(), tenant, query,
                    server.answer(query, scope(tenant), leases(tenant))),
                () -> counts.malformed(tenant.name()));
        }

        void goOn(final Probe probe) {
            final Tenant tenant = tenant(probe.place().node(), probe.vrf());
            if (tenant != null) {
                guarded(tenant.name(), () -> probe.holder().ifPresentOrElse(holder -> goOn(tenant, probe, holder),
                    () -> answer(probe.vrf(), probe.place(), tenant, probe.query(), server.probed(probe.query(),
                        scope(tenant), leases(tenant), probe.address(), probe.conflict()))));
            }
        }

        private void goOn(final Tenant tenant, final Probe probe, final Holder holder) {
            if (!probe.conflict() && probe.left() > 0) {
                ask(tenant, new Probe(probe.vrf(), probe.place(), probe.query(), probe.address(), probe.holder(),
                    probe.left() - 1, probe.until(), false));
            } else {
                answer(probe.vrf(), probe.place(), tenant, probe.query(), server.asked(probe.query(),
                    scope(tenant), leases(tenant), holder.lease(), probe.conflict()));
            }
        }

        /** Asks the host that has a lease, and nobody else. */
        private void ask(final Tenant tenant, final Probe probe) {
            final Holder holder = probe.holder().orElseThrow();
            if (probes.begin(probe, Math.max(HOLDER_MILLIS, scope(tenant).dhcp().probeMillis()))) {
                final byte[] frame = request(probe.address());
                holder.places().forEach(place -> outlet.accept(place, frame));
            }
        }

        /** From nobody, so that nobody learns a wrong address: RFC 5227, section 2.1.1. */
        private byte[] request(final Ipv4 address) {
            return Arp.request(Constants.GATEWAY_MAC.number(), Ipv4.UNSPECIFIED.number(), address.number())
                .toAll().bytes().toArray();
        }

        private Set<Place> places(final Place asking, final Tenant tenant, final Answer.Ask ask) {
            return tenant.attachmentsOf(ask.subnet()).stream()
                .filter(at -> ask.holder().attachment().isEmpty() || ask.holder().attachment().equals(at.name()))
                .map(at -> Place.of(asking.node(), allocations, at)).collect(Collectors.toUnmodifiableSet());
        }

        void release(final Release release) {
            final Optional<LeaseTable> table =
                Optional.ofNullable(allocations.tenants().get(release.tenant())).map(given -> leases(release.tenant()));
            final Optional<Lease> lease = table.flatMap(leases -> leases.at(release.address()))
                .filter(each -> each.state() != Lease.State.FREE);
            if (lease.isEmpty()) {
                release.done().completeExceptionally(new IllegalArgumentException("tenant '" + release.tenant()
                    + "' has no lease of " + release.address()));
            } else if (lease.orElseThrow().isBound()) {
                table.orElseThrow().put(lease.orElseThrow().with(Lease.State.FREE, clock.instant().getEpochSecond()));
            } else {
                table.orElseThrow().remove(release.address());
            }
            lease.ifPresent(each -> released.put(release, each));
        }

        void expire() {
            faults.keep(ids::containsKey);
            empty.keep(ids::containsKey);
            final Set<String> lacking = empty.tenants();
            ids.keySet().forEach(name -> guarded(name, () -> {
                server.expire(leases(name));
                if (lacking.contains(name)) {
                    empty.look(name, scope(requireNonNull(snapshot.tenants().get(name))), leases(name));
                }
            }));
        }

        private void answer(final VrfId vrf, final Place place, final Tenant tenant, final Query query,
                final Answer answer) {
            counts.count(tenant.name(), query, answer);
            if (answer instanceof Answer.Nothing nothing && nothing.reason() == Answer.Reason.NO_ADDRESS) {
                scope(tenant).poolsFor(query).ifPresent(subnet -> empty.begins(tenant.name(), subnet));
            }
            if (answer instanceof Answer.Reply reply) {
                held.add(new Held(place, leases(tenant).changed(), DhcpFrames.frame(reply)));
            } else if (answer instanceof Answer.Probe probe
                    && probes.begin(vrf, place, query, probe.address(), scope(tenant).dhcp().probeMillis())) {
                final byte[] frame = request(probe.address());
                tenant.attachmentsOf(probe.subnet())
                    .forEach(at -> outlet.accept(Place.of(place.node(), allocations, at), frame));
            } else if (answer instanceof Answer.Ask ask) {
                ask(tenant, new Probe(vrf, place, query, ask.holder().address(),
                    Optional.of(new Holder(ask.holder(), ask.subnet(), places(place, tenant, ask))), ASKED_AGAIN,
                    clock.instant(), false));
            }
        }

        private Scope scope(final Tenant tenant) {
            return scopes.computeIfAbsent(tenant.name(), name ->
                Scope.of(tenant, requireNonNull(ids.get(name))).orElseThrow());
        }

        private LeaseTable leases(final Tenant tenant) {
            return leases(tenant.name());
        }

        private LeaseTable leases(final String tenant) {
            return tables.of(tenant, requireNonNull(allocations.tenants().get(tenant)).leases());
        }
    }
}
