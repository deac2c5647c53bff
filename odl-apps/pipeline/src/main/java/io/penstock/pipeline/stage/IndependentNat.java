// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Action.LearnLimit;
import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.AddressPorts;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Mapping and filtering that do not depend on the other end (RFC 4787, REQ-1 and REQ-8), for UDP of subscribers that
 * asked for it. Connection tracking cannot do that: it maps and filters whole connections. So the switch learns two
 * flows for each mapping, one for each direction, and no packet of it is tracked.
 *
 * <p>A mapping has a port of the upper half of its subscriber's first block. Tracking has the lower half, for TCP, ICMP
 * and fragments, and for UDP when both ports that are looked at are taken or there are too many mappings. The ports
 * that are looked at follow from the port inside, so that a mapping that was forgotten comes back the same, as a rule.
 * Both flows of a mapping are learned again by packets in either direction, which keeps them alive together.
 */
final class IndependentNat {
    /** The second port that is looked at is made of bits of the port inside that begin so much higher. */
    private static final int SHIFT = 1;

    private IndependentNat() {
        // Only functions.
    }

    static void planNode(final FlowSink sink) {
        sink.flow(Table.NAT_MAP, Priority.MISS, "no endpoint-independent mapping").go(Table.NAT_OUT);
        sink.flow(Table.NAT_MAP_PORT, Priority.NORMAL, "has a mapping").when(Register.MAPPED.is(1))
            .then(Register.MAPPED.load(0)).go(Table.NAT_MAP_LEARN);
        sink.flow(Table.NAT_MAP_PORT, Priority.MISS, "look at a port").then(new Action.Resubmit(Table.NAT_PORTS))
            .go(Table.NAT_MAP_OTHER_PORT);
        sink.flow(Table.NAT_MAP_OTHER_PORT, Priority.MISS, "the port is free").go(Table.NAT_MAP_LEARN);
        sink.flow(Table.NAT_MAP_FREE, Priority.NORMAL, "both ports are taken").when(Register.MAPPED.is(1))
            .then(Register.MAPPED.load(0)).go(Table.NAT_OUT);
        sink.flow(Table.NAT_MAP_FREE, Priority.MISS, "the other port is free").go(Table.NAT_MAP_LEARN);
        sink.flow(Table.NAT_MAP_LEARN, Priority.MISS, "no mappings in this VRF").drop();
        sink.flow(Table.NAT_MAP_OUT, Priority.MISS, "too many mappings").go(Table.NAT_OUT);
    }

    /** What subscribers of a VRF have in common. */
    static void planTenant(final TenantView view, final FlowSink sink) {
        final List<Mappings> all = Stream.concat(
            view.deterministic().stream().filter(each -> each.independent())
                .map(each -> new Mappings(each.inside(), each.outside(), each.blockSize())),
            view.portBlocks().stream().filter(each -> each.independent())
                .map(each -> new Mappings(each.inside(), each.outside(), each.blockSize()))).toList();
        if (all.isEmpty()) {
            return;
        }
        all.forEach(mappings -> planMappings(view, mappings, sink));
        // A header that is cut off has port 0 for a flow, and nothing is written into it (odp_set_udp,
        // lib/odp-execute.c, 3.1). Tracking drops it, and translates what really comes from port 0.
        udp(sink.flow(Table.NAT_MAP, Priority.HIGH, "from port 0, or cut off").when(view.isVrf()))
            .when(MatchField.UDP_SRC, 0).go(Table.NAT_OUT);
        udp(sink.flow(Table.NAT_MAP_LEARN, Priority.NORMAL, "learn what comes back").when(view.isVrf()))
            .then(learnPort(view, MatchField.IP_SRC.range(), MatchField.UDP_SRC.range())).go(Table.NAT_MAP_OUT);
        udp(sink.flow(Table.NAT_MAP_OUT, Priority.NORMAL, "translated by a mapping").when(view.isVrf()))
            .when(Register.MAP_LEARNED.is(1))
            .then(learnMapping(view, MatchField.IP_SRC.range(), MatchField.UDP_SRC.range()),
                new Action.Move(Register.MAP_ADDRESS.range(), MatchField.IP_SRC.range()),
                new Action.Move(Register.MAP_PORT.range(), MatchField.UDP_SRC.range()))
            .then(Crossing.toBackbone()).go(Table.BACKBONE_ROUTE);
        udp(sink.flow(Table.NAT_IN_KNOWN, Priority.HIGH, "translated by a mapping").when(view.isVrf()))
            .when(Register.MAPPED.is(1))
            .then(learnPort(view, Register.MAP_INSIDE_ADDRESS.range(), Register.MAP_INSIDE_PORT.range()),
                learnMapping(view, Register.MAP_INSIDE_ADDRESS.range(), Register.MAP_INSIDE_PORT.range()),
                new Action.Move(Register.MAP_INSIDE_ADDRESS.range(), MatchField.IP_DST.range()),
                new Action.Move(Register.MAP_INSIDE_PORT.range(), MatchField.UDP_DST.range()),
                Register.MAPPED.load(0))
            .go(Table.CHAIN_IN);
    }

    private record Mappings(Prefix inside, Prefix outside, int blockSize) { }

    private static void planMappings(final TenantView view, final Mappings mappings, final FlowSink sink) {
        final int bits = bits(mappings.blockSize());
        udp(sink.flow(Table.NAT_MAP_OTHER_PORT, Priority.NORMAL, "look at another port for " + mappings.inside())
            .when(view.isVrf())).when(MatchField.IP_SRC, mappings.inside()).when(Register.MAPPED.is(1))
            .then(Register.MAPPED.load(0), candidate(bits, SHIFT), new Action.Resubmit(Table.NAT_PORTS))
            .go(Table.NAT_MAP_FREE);
        udp(sink.flow(Table.NAT_IN, Priority.HIGH, "look for a mapping of " + mappings.inside()).when(view.isVrf()))
            .when(MatchField.IP_DST, mappings.outside())
            .then(new Action.Move(MatchField.IP_DST.range(), Register.MAP_ADDRESS.range()),
                new Action.Move(MatchField.UDP_DST.range(), Register.MAP_PORT.range()),
                new Action.Resubmit(Table.NAT_PORTS))
            .go(Table.NAT_IN_KNOWN);
    }

    /** Looks for mappings of a subscriber, whose block is a power of two and begins at a multiple of it. */
    static void subscriber(final TenantView view, final Ipv4 subscriber, final AddressPorts block,
            final FlowSink sink) {
        final PortRange ports = block.ports();
        udp(sink.flow(Table.NAT_MAP, Priority.NORMAL, "look for a mapping").when(view.isVrf()))
            .when(MatchField.IP_SRC, subscriber)
            .then(Register.MAP_ADDRESS.load(block.address().number()),
                Register.MAP_PORT.load((ports.low() + ports.high() + 1) / 2),
                candidate(bits(ports.high() - ports.low() + 1), 0), new Action.Resubmit(Table.NAT_MAPPINGS))
            .go(Table.NAT_MAP_PORT);
    }

    /** Bits that tell a port in the upper half of a block. */
    private static int bits(final int blockSize) {
        return Integer.numberOfTrailingZeros(blockSize) - 1;
    }

    /** Puts bits of the port inside in the place of the lowest bits of the public port. */
    private static Action candidate(final int bits, final int from) {
        final FieldRange port = Register.MAP_PORT.range();
        return new Action.Move(new FieldRange(MatchField.UDP_SRC, from + bits - 1, from),
            new FieldRange(port.field(), port.low() + bits - 1, port.low()));
    }

    /** Datagrams in one piece; the others have no ports that a flow could match. */
    private static FlowSink.Draft udp(final FlowSink.Draft flow) {
        return flow.ipv4().when(MatchField.IP_PROTO, IpProtocol.UDP).when(MatchField.IP_FRAG, 0);
    }

    /** Learns from which public port a port inside sends. */
    private static Action learnMapping(final TenantView view, final FieldRange address, final FieldRange port) {
        return learn(view, Table.NAT_MAPPINGS, Optional.empty(), List.of(
            new LearnSpec.MatchValue(EtherType.IPV4, MatchField.ETH_TYPE.range()),
            new LearnSpec.MatchValue(IpProtocol.UDP, MatchField.IP_PROTO.range()),
            new LearnSpec.MatchCopy(address, MatchField.IP_SRC.range()),
            new LearnSpec.MatchCopy(port, MatchField.UDP_SRC.range()),
            new LearnSpec.LoadCopy(Register.MAP_PORT.range(), Register.MAP_PORT.range())));
    }

    /** Learns where a public port leads, unless there are too many. */
    private static Action learnPort(final TenantView view, final FieldRange address, final FieldRange port) {
        return learn(view, Table.NAT_PORTS,
            Optional.of(new LearnLimit(Constants.MAPPINGS_PER_TENANT, Register.MAP_LEARNED.range())), List.of(
                new LearnSpec.MatchCopy(Register.MAP_ADDRESS.range(), Register.MAP_ADDRESS.range()),
                new LearnSpec.MatchCopy(Register.MAP_PORT.range(), Register.MAP_PORT.range()),
                new LearnSpec.LoadCopy(address, Register.MAP_INSIDE_ADDRESS.range()),
                new LearnSpec.LoadCopy(port, Register.MAP_INSIDE_PORT.range())));
    }

    private static Action learn(final TenantView view, final Table table, final Optional<LearnLimit> limit,
            final List<LearnSpec> more) {
        final List<LearnSpec> specs = new ArrayList<>();
        specs.add(new LearnSpec.MatchCopy(Register.VRF.range(), Register.VRF.range()));
        specs.addAll(more);
        specs.add(new LearnSpec.LoadValue(1, Register.MAPPED.range()));
        // Not the idle timeout, which learning again does not put off (rule_expire, ofproto/ofproto-dpif.c, 3.1).
        return new Action.Learn(table, Priority.NORMAL, 0, Constants.MAPPING_IDLE_SECONDS, limit,
            Cookie.of(Cookie.Kind.SESSION, view.vrf()), specs);
    }
}
