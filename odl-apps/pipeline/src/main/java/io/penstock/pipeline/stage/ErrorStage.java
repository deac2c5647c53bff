// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.Fragment;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.ErrorKind;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Packets of which a router has to tell the sender. The controller makes the ICMP error, for a flow cannot; a meter for
 * each tenant, and one for the backbone, bounds what it hears. What nobody may be told of (RFC 1812, section 4.3.2.7;
 * RFC 4443, section 2.4) ends here as far as a flow can tell. Other stages send packets here. Sample flows:
 * golden/two-tenants.flows, table routing_error.
 */
public final class ErrorStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.ROUTING_ERROR);

    /** Unreachable, source quench, redirect, time exceeded, parameter problem (RFC 1122, section 3.2.2). */
    private static final List<Integer> IPV4_ERRORS = List.of(3, 4, 5, 11, 12);
    /** Unreachable, too big, time exceeded, parameter problem, redirect (RFC 4443, section 2.4, e). */
    private static final List<Integer> IPV6_ERRORS = List.of(1, 2, 3, 4, 137);
    private static final Prefix MULTICAST = Prefix.parse("224.0.0.0/4");
    private static final List<Action> TO_BE_TOLD = List.of(new Action.Meter(Meter.BACKBONE_ERRORS.number()),
        new Action.Controller(Constants.ERROR_BYTES));
    private static final String MANY = "no ICMP error about a packet to a group";
    private static final String LATER = "no ICMP error about a later fragment";
    private static final String ERROR = "no ICMP error about an ICMP error";

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        sink.flow(Table.ROUTING_ERROR, Priority.GUARD, LATER).ipv4().when(Fragment.LATER.match()).drop();
        sink.flow(Table.ROUTING_ERROR, Priority.GUARD, LATER).when(MatchField.ETH_TYPE, EtherType.IPV6)
            .when(Fragment.LATER.match()).drop();
        IPV4_ERRORS.forEach(type -> sink.flow(Table.ROUTING_ERROR, Priority.HIGH, ERROR).ipv4()
            .when(MatchField.IP_PROTO, IpProtocol.ICMP).when(MatchField.ICMP_TYPE, type).drop());
        IPV6_ERRORS.forEach(type -> sink.flow(Table.ROUTING_ERROR, Priority.HIGH, ERROR)
            .when(MatchField.ETH_TYPE, EtherType.IPV6).when(MatchField.IP_PROTO, IpProtocol.ICMPV6)
            .when(MatchField.ICMPV6_TYPE, type).drop());
        sink.flow(Table.ROUTING_ERROR, Priority.HIGH, MANY).ipv4()
            .when(MatchField.IP_DST, MULTICAST).drop();
        // Frames to others are seen where a switch in front of us does not know who has their address.
        inBackbone(sink, ErrorKind.TIME_EXCEEDED).when(MatchField.ETH_DST, node.backboneMac()).then(TO_BE_TOLD).end();
        // What the controller itself sends; packets of tenants have their sender.
        inBackbone(sink, ErrorKind.NO_ROUTE).then(TO_BE_TOLD).end();
        sink.flow(Table.ROUTING_ERROR, Priority.MISS, "no ICMP error about this packet").drop();
    }

    private static FlowSink.Draft inBackbone(final FlowSink sink, final ErrorKind kind) {
        return sink.flow(Table.ROUTING_ERROR, Priority.LOW, "ICMP error to the sender, backbone")
            .when(Register.VRF.is(VrfId.BACKBONE.number()), Register.SENDER.is(0),
                Register.ERROR_KIND.is(kind.number()));
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        for (final List<FieldMatch> caused : view.caused()) {
            report(view, sink, Priority.LOW, "ICMP error to the sender", caused);
            if (new PathMtu(node, view).looks()) {
                report(view, sink, Priority.NORMAL, "longer than the MTU of the egress link: ICMP error to the sender",
                    Stream.concat(caused.stream(), Stream.of(Register.ERROR_KIND.is(ErrorKind.TOO_BIG.number())))
                        .toList());
            }
        }
    }

    private static void report(final TenantView view, final FlowSink sink, final int priority, final String label,
            final List<FieldMatch> packets) {
        sink.flow(Table.ROUTING_ERROR, priority, label).when(packets)
            .then(view.meter(TenantMeter.ERROR), new Action.Controller(Constants.ERROR_BYTES)).end();
    }
}
