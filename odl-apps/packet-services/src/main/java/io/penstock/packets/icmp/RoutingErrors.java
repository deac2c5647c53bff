// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.icmp;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.penstock.configuration.Desired;
import io.penstock.frames.Bytes;
import io.penstock.frames.Ethernet;
import io.penstock.packets.ipv6.Addresses;
import io.penstock.packets.link.Fate;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.ErrorKind;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells senders of packets what a router could not do with them. The error goes through the tables from where the
 * router routes, like any packet of its own: so it finds its way to wherever the sender is, and one to the world is
 * translated together with the packet in it (RFC 5508, section 4.2). Safe for all threads; never blocks.
 */
public final class RoutingErrors {
    private static final Logger LOG = LoggerFactory.getLogger(RoutingErrors.class);

    private final Supplier<Desired> desired;
    private final Outlet outlet;
    private final SenderLimit<Sender> limit;
    private final Map<Outcome, LongAdder> counts = new EnumMap<>(Outcome.class);

    private record Sender(SwitchId node, VrfId vrf, Bytes address) { }

    /** Takes frames that a switch is to send. */
    @FunctionalInterface
    public interface Outlet {
        /** Has a switch do something with a frame; what cannot be sent is lost. Must not block. */
        void send(SwitchId target, List<Action> actions, byte[] frame);

        /** By the switches themselves. */
        static Outlet of(final OpenFlowSouthbound southbound) {
            return (target, actions, frame) -> southbound.packetOut(target, OpenFlowSouthbound.NO_PORT, actions, frame)
                .exceptionally(e -> {
                    LOG.debug("An ICMP error was not sent by {}", target, e);
                    return null;
                });
        }
    }

    /** Errors by what is desired at the moment. */
    public RoutingErrors(final Supplier<Desired> desired, final Outlet outlet, final Ticker ticker) {
        this.desired = requireNonNull(desired);
        this.outlet = requireNonNull(outlet);
        limit = new SenderLimit<>(ticker);
        for (final Outcome outcome : Outcome.values()) {
            counts.put(outcome, new LongAdder());
        }
    }

    /** Takes a packet if a router has to tell its sender. */
    public Fate onPacketIn(final PacketIn packet) {
        final Outcome outcome = answer(packet);
        requireNonNull(counts.get(outcome)).increment();
        return switch (outcome) {
            case SENT -> Fate.TAKEN;
            case MALFORMED -> Fate.MALFORMED;
            default -> Fate.IGNORED;
        };
    }

    /** How many packets there were since the start, by what became of them. */
    public SortedMap<String, Long> counts() {
        final SortedMap<String, Long> result = new TreeMap<>();
        counts.forEach((outcome, count) -> result.put(outcome.text(), count.sum()));
        return result;
    }

    private Outcome answer(final PacketIn packet) {
        final Optional<ErrorKind> kind = ErrorKind.ofNumber(packet.value(Register.ERROR_KIND));
        final Optional<Offender> offender = Offender.parse(Bytes.of(packet.frame()));
        if (kind.isEmpty() || offender.isEmpty()) {
            return Outcome.MALFORMED;
        }
        return offender.orElseThrow().whyNot(kind.orElseThrow())
            .orElseGet(() -> answer(packet, kind.orElseThrow(), offender.orElseThrow()));
    }

    private Outcome answer(final PacketIn packet, final ErrorKind kind, final Offender offender) {
        final Optional<VrfId> told = VrfId.of(packet.value(Register.VRF));
        if (told.isEmpty()) {
            return Outcome.MALFORMED;
        }
        final VrfId vrf = told.orElseThrow();
        final Routers.Choice router = router(packet, vrf, offender);
        if (router.whyNot().isPresent()) {
            return router.whyNot().orElseThrow();
        }
        if (!limit.take(new Sender(packet.source(), vrf, offender.source()))) {
            return Outcome.TOO_MANY;
        }
        final Bytes error = offender.error(kind, (int) packet.value(Register.ERROR_MTU), router.address());
        send(packet.source(), vrf, offender.version() == Offender.IPV4 ? Ethernet.TYPE_IPV4 : Ethernet.TYPE_IPV6,
            error);
        return Outcome.SENT;
    }

    private Routers.Choice router(final PacketIn packet, final VrfId vrf, final Offender offender) {
        final Desired now = desired.get();
        final Optional<String> node = now.node(packet.source().datapathId());
        if (node.isEmpty()) {
            return Routers.Choice.none(Outcome.NO_ROUTER);
        }
        final boolean fromBackbone = packet.value(Register.FROM_BACKBONE) == 1;
        if (offender.version() == Offender.IPV6) {
            final Ipv6 sender = Addresses.of(offender.source());
            return vrf.isBackbone() ? Routers6.backbone(now, node.orElseThrow(), sender)
                : Routers6.tenant(now, node.orElseThrow(), vrf, sender, fromBackbone);
        }
        final Ipv4 source = new Ipv4(offender.source().u32(0));
        return vrf.isBackbone() ? Routers.backbone(now, node.orElseThrow(), source)
            : Routers.tenant(now, node.orElseThrow(), vrf, source,
                new Ipv4(offender.destination().u32(0)), fromBackbone);
    }

    /** The tables that it goes through write both MAC addresses. */
    private void send(final SwitchId node, final VrfId vrf, final int etherType, final Bytes error) {
        final Table table = vrf.isBackbone() ? Table.BACKBONE_ROUTE : Table.VRF_ROUTE;
        final long gateway = Constants.GATEWAY_MAC.number();
        final Ethernet frame = new Ethernet(gateway, gateway, etherType, error);
        outlet.send(node, List.of(Register.VRF.load(vrf.number()), new Action.Resubmit(table)),
            frame.bytes().toArray());
    }
}
