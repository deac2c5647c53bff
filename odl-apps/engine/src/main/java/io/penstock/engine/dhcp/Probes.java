// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.dhcp;

import static java.util.Objects.requireNonNull;

import io.penstock.dhcp.Query;
import io.penstock.engine.dhcp.DhcpService.Timer;
import io.penstock.engine.link.Place;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Addresses that were asked for by ARP before they are offered. For the thread of the engine. */
final class Probes {
    /** Beyond it nobody new is probed for; whoever wants an address asks again. */
    private static final int MOST = 4096;

    private record Target(int vrf, long address) { }

    /**
     * An address that is asked for.
     *
     * @param query the message that wants to have it
     * @param conflict whether somebody has answered
     */
    record Probe(int vrf, Place place, Query query, long address, Instant until, boolean conflict) { }

    private final Clock clock;
    private final Timer timer;
    private final Map<Target, Probe> pending = new LinkedHashMap<>();

    Probes(final Clock clock, final Timer timer) {
        this.clock = requireNonNull(clock);
        this.timer = requireNonNull(timer);
    }

    /** Remembers a probe; false when it is under way already, or there are too many. */
    boolean begin(final int vrf, final Place place, final Query query, final long address, final int millis) {
        final Target target = new Target(vrf, address);
        if (pending.size() >= MOST || pending.containsKey(target)) {
            return false;
        }
        pending.put(target, new Probe(vrf, place, query, address, clock.instant().plusMillis(millis), false));
        timer.markAfter(millis);
        return true;
    }

    /** Somebody has the address. */
    void conflict(final int vrf, final long address) {
        pending.computeIfPresent(new Target(vrf, address), (target, probe) -> new Probe(probe.vrf(), probe.place(),
            probe.query(), probe.address(), Instant.MIN, true));
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
