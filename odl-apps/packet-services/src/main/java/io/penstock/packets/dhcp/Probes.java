// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.dhcp;

import static java.util.Objects.requireNonNull;

import io.penstock.dhcp.Query;
import io.penstock.frames.Arp;
import io.penstock.packets.dhcp.DhcpService.Timer;
import io.penstock.packets.link.Place;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Addresses that were asked for by ARP before they are offered. For the thread of the engine. */
final class Probes {
    /** Beyond it nobody new is probed for; whoever wants an address asks again. */
    private static final int MOST = 4096;

    private record Target(SwitchId node, VrfId vrf, Ipv4 address) { }

    /**
     * An address that is asked for.
     *
     * @param query the message that wants to have it
     * @param holder whose answer alone counts; nobody in particular if the address is to be free
     * @param left how often it is asked for again when nobody answers
     * @param conflict whether somebody has answered
     */
    record Probe(VrfId vrf, Place place, Query query, Ipv4 address, Optional<Holder> holder, int left, Instant until,
            boolean conflict) { }

    /**
     * The host that has the address.
     *
     * @param subnet where its lease is
     * @param places its attachment, or all of the subnet if that is not known
     */
    record Holder(Lease lease, Tenant.Subnet subnet, Set<Place> places) { }

    private final Clock clock;
    private final Timer timer;
    private final Map<Target, Probe> pending = new LinkedHashMap<>();

    Probes(final Clock clock, final Timer timer) {
        this.clock = requireNonNull(clock);
        this.timer = requireNonNull(timer);
    }

    /** Remembers a probe; false when it is under way already, or there are too many. */
    boolean begin(final VrfId vrf, final Place place, final Query query, final Ipv4 address, final int millis) {
        return begin(new Probe(vrf, place, query, address, Optional.empty(), 0, clock.instant(), false), millis);
    }

    /** The same of a host that has the address; asked for once more, and {@code left} times after that. */
    boolean begin(final Probe probe, final int millis) {
        final Target target = new Target(probe.place().node(), probe.vrf(), probe.address());
        if (pending.size() >= MOST || pending.containsKey(target)) {
            return false;
        }
        pending.put(target, new Probe(probe.vrf(), probe.place(), probe.query(), probe.address(), probe.holder(),
            probe.left(), clock.instant().plusMillis(millis), false));
        timer.markAfter(millis);
        return true;
    }

    /** A host of a node says that it has the address. */
    void conflict(final Place from, final VrfId vrf, final Arp answer) {
        pending.computeIfPresent(new Target(from.node(), vrf, new Ipv4(answer.senderAddress())), (target, probe) ->
            probe.holder().filter(holder -> !holder.places().contains(from)
                || holder.lease().mac().number() != answer.senderMac()).isPresent() ? probe
                : new Probe(probe.vrf(), probe.place(), probe.query(), probe.address(), probe.holder(), probe.left(),
                    Instant.MIN, true));
        timer.markAfter(0);
    }

    /** Takes out what need not be waited for any longer. */
    List<Probe> due() {
        final Instant now = clock.instant();
        final List<Probe> due = new ArrayList<>();
        pending.values().removeIf(probe -> !now.isBefore(probe.until()) && due.add(probe));
        return due;
    }
}
