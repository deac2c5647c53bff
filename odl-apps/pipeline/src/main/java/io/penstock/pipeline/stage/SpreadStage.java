// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Spreads the connections of tenants over the instances of a function. Which one a connection has is kept in its
 * ct_label, so both directions have the same, and keep it whatever instances come and go; one that works no more is
 * replaced. All flows are of the node: a tenant tells them where in ct_label its instance of a function is.
 */
public final class SpreadStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.CHAIN_TRACK, Table.CHAIN_KNOWN, Table.CHAIN_INSTANCE,
        Table.CHAIN_PICK, Table.CHAIN_KEEP, Table.CHAIN_ENTER);

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        final List<NetworkFunction> spread = node.functions().stream().filter(NetworkFunction::spread).toList();
        for (final NetworkFunction function : spread) {
            planFunction(node, function, sink);
        }
        if (!spread.isEmpty()) {
            for (final int etherType : new int[] {EtherType.IPV4, EtherType.IPV6}) {
                planFamily(etherType, sink);
            }
            KeptInstances.read(sink, Table.CHAIN_KNOWN, Table.CHAIN_INSTANCE);
        }
        for (final Table table : List.of(Table.CHAIN_TRACK, Table.CHAIN_KNOWN, Table.CHAIN_INSTANCE, Table.CHAIN_PICK,
                Table.CHAIN_KEEP, Table.CHAIN_ENTER)) {
            sink.flow(table, Priority.MISS, "no instance").drop();
        }
    }

    /** Only IP is tracked, and a flow with ct has to say which. */
    private static void planFamily(final int etherType, final FlowSink sink) {
        sink.flow(Table.CHAIN_TRACK, Priority.NORMAL, "track").when(MatchField.ETH_TYPE, etherType)
            .then(ConnTracking.lookUp(Table.CHAIN_KNOWN)).end();
        final MatchField source = etherType == EtherType.IPV4 ? MatchField.IP_SRC : MatchField.IPV6_SRC;
        bucket(sink, etherType, Priority.LOW, "source address", 0, source);
        bucket(sink, etherType, Priority.NORMAL, "TCP port", IpProtocol.TCP, MatchField.TCP_SRC);
        bucket(sink, etherType, Priority.NORMAL, "UDP port", IpProtocol.UDP, MatchField.UDP_SRC);
        for (int place = 0; place < Constants.MOST_KEEPING; place++) {
            sink.flow(Table.CHAIN_KEEP, Priority.NORMAL, "keeps instance at " + place)
                .when(MatchField.ETH_TYPE, etherType).when(Register.PLACE.is(place))
                .then(KeptInstances.keepByCopy(place)).go(Table.CHAIN_ENTER);
        }
    }

    private static void planFunction(final NodeView node, final NetworkFunction function, final FlowSink sink) {
        final int number = node.number(function);
        final List<Instance> working = node.working(function);
        for (final Instance instance : working) {
            final int port = node.port(instance.insidePort());
            sink.flow(Table.CHAIN_INSTANCE, Priority.HIGH, "has " + instance.name())
                .when(Register.FUNCTION.is(number), Register.INSTANCE.is(port)).go(Table.CHAIN_ENTER);
            for (final Direction direction : Direction.values()) {
                sink.flow(Table.CHAIN_ENTER, Priority.NORMAL, HopLabels.INSTANCE + direction.port(instance))
                    .when(Register.INSTANCE.is(port), Register.FROM_BACKBONE.is(direction.ordinal()))
                    .then(function.routed().map(routed -> RoutedHop.into(routed, direction))
                        .orElseGet(() -> tagged(direction)))
                    .then(function.nsh() ? NshHop.wrap(direction) : List.of())
                    .then(new Action.Output(node.port(direction.port(instance)))).end();
            }
        }
        final List<Instance> share = Share.of(function, node.verdict(function), working);
        for (int bucket = 0; bucket < share.size(); bucket++) {
            sink.flow(Table.CHAIN_PICK, Priority.NORMAL, "new to " + share.get(bucket).name())
                .when(Register.FUNCTION.is(number), Register.BUCKET.is(bucket))
                .then(Register.INSTANCE.load(node.port(share.get(bucket).insidePort()))).go(Table.CHAIN_KEEP);
        }
    }

    private static List<Action> tagged(final Direction direction) {
        final List<Action> actions = new ArrayList<>(direction.addresses());
        actions.add(new Action.Move(tag(Register.VRF.range().field()), tag(MatchField.VLAN_VID)));
        return actions;
    }

    /** A VRF id that a chain has is a tag. */
    private static FieldRange tag(final MatchField field) {
        return new FieldRange(field, MatchField.VLAN_VID.bits() - 1, 0);
    }

    /**
     * By which bits new connections are spread: those of the source port but for the lowest, for Linux prefers even
     * ports (__inet_hash_connect, net/ipv4/inet_hashtables.c); the source address of what has no ports, and of pieces
     * of packets, whose later ones show none.
     */
    private static void bucket(final FlowSink sink, final int etherType, final int priority, final String by,
            final int protocol, final MatchField source) {
        final FlowSink.Draft flow = sink.flow(Table.CHAIN_INSTANCE, priority, "new, by " + by)
            .when(MatchField.ETH_TYPE, etherType);
        if (protocol != 0) {
            flow.when(MatchField.IP_PROTO, protocol).when(MatchField.IP_FRAG, 0);
        }
        flow.then(new Action.Move(Share.bits(source, protocol != 0), Register.BUCKET.range())).go(Table.CHAIN_PICK);
    }
}
