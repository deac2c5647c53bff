// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.link;

import static java.util.Objects.requireNonNull;

import io.penstock.operations.ControllerStatus.PacketInCount;
import io.penstock.southbound.openflow.PacketIn;
import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what the services did with packets that switches sent to the controller. Safe for all threads. */
public final class PacketInCounts {
    private static final Logger LOG = LoggerFactory.getLogger(PacketInCounts.class);

    private final Map<String, Counters> counters = new ConcurrentHashMap<>();

    private static final class Counters {
        private final Map<Fate, LongAdder> fates = new EnumMap<>(Fate.class);
        private final LongAdder failed = new LongAdder();

        Counters() {
            for (final Fate fate : Fate.values()) {
                fates.put(fate, new LongAdder());
            }
        }

        LongAdder counter(final Fate fate) {
            return requireNonNull(fates.get(fate));
        }

        long of(final Fate fate) {
            return counter(fate).sum();
        }
    }

    /** Shows a service from now on, also while it has no packets. */
    void expect(final String service) {
        counters.computeIfAbsent(service, name -> new Counters());
    }

    /** Hands a packet to a service and counts its result, which it returns. An exception of the service ends here. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    public Fate count(final String service, final Function<PacketIn, Fate> handler, final PacketIn packet) {
        final Counters mine = counters.computeIfAbsent(service, name -> new Counters());
        try {
            final Fate fate = handler.apply(packet);
            mine.counter(fate).increment();
            return fate;
        } catch (RuntimeException e) {
            // The bytes of the packet are not logged: a host could fill the log with them.
            mine.failed.increment();
            LOG.error("The service {} failed on a packet of table {}", service, packet.table(), e);
            return Fate.MALFORMED;
        }
    }

    /** The counts by service since the start. */
    public SortedMap<String, PacketInCount> all() {
        final SortedMap<String, PacketInCount> result = new TreeMap<>();
        counters.forEach((service, each) -> result.put(service, new PacketInCount(each.of(Fate.TAKEN),
            each.of(Fate.IGNORED), each.of(Fate.MALFORMED), each.failed.sum())));
        return result;
    }
}
