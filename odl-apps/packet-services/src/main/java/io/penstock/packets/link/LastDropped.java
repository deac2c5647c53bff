// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.link;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.registry.DropReport;
import io.penstock.pipeline.registry.Register;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The last packet that each flow has dropped and a switch has shown, of the flows that have dropped one lately. Safe
 * for all threads.
 */
public final class LastDropped {
    /** Flows; the one whose packet is the oldest makes room. Each takes less than 1 kB. */
    static final int MOST = 8192;

    private final InstantSource clock;
    private final Map<Key, Seen> packets = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(final Map.Entry<Key, Seen> eldest) {
            return size() > MOST;
        }
    };

    private record Key(SwitchId node, int table, long cookie, long number) { }

    /**
     * A packet that was dropped.
     *
     * @param time at which it came to the controller
     */
    public record Seen(Instant time, PacketIn packet) {
        public Seen {
            requireNonNull(time);
            requireNonNull(packet);
        }
    }

    /** Knows none yet. */
    public LastDropped(final InstantSource clock) {
        this.clock = requireNonNull(clock);
    }

    /** Whether a switch shows a packet because it has dropped it. */
    static boolean isOne(final PacketIn packet) {
        return packet.value(Register.DROP) != 0;
    }

    Fate onPacketIn(final PacketIn packet) {
        final Key key = new Key(packet.source(), packet.table(), packet.cookie(), packet.value(Register.DROP));
        final Seen seen = new Seen(clock.instant(), packet);
        synchronized (this) {
            packets.remove(key); // The map is in the order of the packets.
            packets.put(key, seen);
        }
        return Fate.TAKEN;
    }

    /** The last one of a flow of a switch, or of another flow of the same table and cookie with the same number. */
    public synchronized Optional<Seen> of(final SwitchId node, final FlowSpec flow) {
        return Optional.ofNullable(packets.get(new Key(node, flow.table().number(), flow.cookie(),
            DropReport.number(flow.key()))));
    }
}
