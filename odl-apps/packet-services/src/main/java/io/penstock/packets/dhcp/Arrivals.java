// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.dhcp;

import static java.util.Objects.requireNonNull;

import io.penstock.packets.link.Fate;
import io.penstock.packets.link.Place;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Packets for the DHCP servers that nobody has looked at yet. Safe for all threads; never blocks. */
final class Arrivals {
    /** Packets of one node that wait; more than its meters let through in the second that the engine needs. */
    static final int MOST_OF_A_NODE = 1024;

    private final Runnable mark;
    private final Map<SwitchId, Integer> counts = new HashMap<>();
    private List<Arrival> waiting = new ArrayList<>();

    /**
     * A packet.
     *
     * @param conflict whether it answers a probe, or else it is a request
     */
    record Arrival(VrfId vrf, Place place, boolean conflict, byte[] frame) { }

    Arrivals(final Runnable mark) {
        this.mark = requireNonNull(mark);
    }

    /** Takes a packet if it is a request to a DHCP server. */
    Fate onPacketIn(final PacketIn packet) {
        return take(packet, false);
    }

    /** Takes a packet if it answers a probe. */
    Fate onConflict(final PacketIn packet) {
        return take(packet, true);
    }

    private Fate take(final PacketIn packet, final boolean conflict) {
        final Optional<VrfId> vrf = VrfId.of(packet.value(Register.VRF));
        if (vrf.isEmpty()) {
            return Fate.MALFORMED;
        }
        synchronized (this) {
            if (counts.getOrDefault(packet.source(), 0) >= MOST_OF_A_NODE) {
                return Fate.IGNORED;
            }
            counts.merge(packet.source(), 1, Integer::sum);
            waiting.add(new Arrival(vrf.orElseThrow(), Place.of(packet), conflict, packet.frame()));
        }
        mark.run();
        return Fate.TAKEN;
    }

    /** Hands out all that is there, in its order. */
    synchronized List<Arrival> take() {
        final List<Arrival> taken = waiting;
        waiting = new ArrayList<>();
        counts.clear();
        return taken;
    }
}
