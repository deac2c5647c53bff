// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.link;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.PacketInListener;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Hands packets that switches send to the controller to the services for their tables, and counts the results. Routes
 * are set before the first packet comes; from then on safe for all threads.
 */
public final class PacketRouter implements PacketInListener {
    private static final String DROPS = "drop-report";

    private final LastDropped dropped;
    private final PacketInCounts counts = new PacketInCounts();
    private final Map<Table, List<Route>> routes = new EnumMap<>(Table.class);

    /** Without routes yet; packets that were dropped go to {@code dropped}, whatever their table is. */
    public PacketRouter(final LastDropped dropped) {
        this.dropped = requireNonNull(dropped);
        counts.expect(DROPS);
    }

    private record Route(String service, Function<PacketIn, Fate> handler) { }

    /**
     * Has packets of a table handled by a service. Where several have the same table, each gets the packets that those
     * before it have found not to be theirs.
     *
     * @param service the name by which they are counted
     */
    public PacketRouter route(final Table table, final String service, final Function<PacketIn, Fate> handler) {
        routes.computeIfAbsent(table, key -> new ArrayList<>())
            .add(new Route(requireNonNull(service), requireNonNull(handler)));
        counts.expect(service);
        return this;
    }

    /** The tables whose packets are handled. */
    public Set<Table> tables() {
        return Set.copyOf(routes.keySet());
    }

    /** The counts by service. */
    public PacketInCounts counts() {
        return counts;
    }

    @Override
    public void onPacketIn(final PacketIn packet) {
        if (LastDropped.isOne(packet)) {
            counts.count(DROPS, dropped::onPacketIn, packet);
            return;
        }
        final Optional<Table> table = Table.ofNumber(packet.table());
        for (final Route route : table.map(routes::get).orElse(List.of())) {
            if (counts.count(route.service(), route.handler(), packet) != Fate.NOT_MINE) {
                return;
            }
        }
    }
}
