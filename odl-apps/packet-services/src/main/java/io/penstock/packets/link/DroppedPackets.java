// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.link;

import static java.util.Objects.requireNonNull;

import io.penstock.frames.Bytes;
import io.penstock.frames.FrameHeaders;
import io.penstock.operations.DroppedPacket;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.DropReport;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** The last packets that flows of a node have dropped, as operators see them. Immutable, but for new packets. */
public final class DroppedPackets {
    private static final int VLAN_MASK = 0xfff;

    private final LastDropped dropped;
    private final Allocations allocations;
    private final String node;
    private final Set<Number> numbers = new HashSet<>();
    private final Set<Number> taken = new HashSet<>();

    /** What a packet says of its flow. */
    private record Number(Table table, long cookie, int number) {
        static Number of(final FlowSpec flow) {
            return new Number(flow.table(), flow.cookie(), DropReport.number(flow.key()));
        }
    }

    /**
     * Will find packets of these flows.
     *
     * @param flows all of the switch that have one of their cookies
     */
    public DroppedPackets(final LastDropped dropped, final Allocations allocations, final String node,
            final Collection<InstalledFlow> flows) {
        this.dropped = requireNonNull(dropped);
        this.allocations = requireNonNull(allocations);
        this.node = requireNonNull(node);
        flows.stream().map(InstalledFlow::flow).filter(FlowSpec::reportsDrops).map(Number::of).forEach(number -> {
            if (!numbers.add(number)) {
                taken.add(number);
            }
        });
    }

    /** The last packet; nothing if none was reported, or if it may have been one of another flow. */
    public Optional<DroppedPacket> of(final FlowSpec flow) {
        return !flow.reportsDrops() || taken.contains(Number.of(flow)) ? Optional.empty()
            : dropped.of(new SwitchId(allocations.datapathId(node)), flow).flatMap(this::packet);
    }

    private Optional<DroppedPacket> packet(final LastDropped.Seen seen) {
        final PacketIn packet = seen.packet();
        return FrameHeaders.parse(Bytes.of(packet.frame())).map(headers -> new DroppedPacket(
            seen.time().truncatedTo(ChronoUnit.MILLIS).toString(), port(packet.inPort()),
            vlan(packet.value(Register.IN_ATTACHMENT), headers.vlan()), new Mac(headers.sourceMac()).toString(),
            new Mac(headers.destinationMac()).toString(), headers.etherType(),
            headers.source().map(DroppedPackets::address), headers.destination().map(DroppedPackets::address),
            DroppedPacket.boxed(headers.protocol()), DroppedPacket.boxed(headers.sourcePort()),
            DroppedPacket.boxed(headers.destinationPort())));
    }

    private String port(final int number) {
        return allocations.ports().getOrDefault(node, Collections.emptySortedMap()).entrySet().stream()
            .filter(each -> each.getValue() == number).map(Map.Entry::getKey).findFirst()
            .orElseGet(() -> Integer.toString(number));
    }

    /** The first tables take the tag off, and keep it in a register. */
    private static Optional<Integer> vlan(final long attachment, final OptionalInt tag) {
        final int known = (int) attachment & VLAN_MASK;
        return known != 0 ? Optional.of(known) : DroppedPacket.boxed(tag);
    }

    private static String address(final Bytes bytes) {
        return bytes.length() == 4 ? new Ipv4(bytes.u32(0)).toString()
            : new Ipv6(bytes.u32(0) << Integer.SIZE | bytes.u32(4), bytes.u32(8) << Integer.SIZE | bytes.u32(12))
                .toString();
    }
}
