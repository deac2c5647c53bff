// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.FiveTuple;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.FunctionMeter;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * Leads a tenant's traffic through its network functions, and the return traffic through the same ones in reverse.
 * Frames to a function carry the VRF id as 802.1Q tag, since addresses of tenants overlap; a frame that comes back is
 * known by its port and tag. Between the chain and the backbone stands {@link TwiceNat}; which instance a frame goes
 * to, where a function has several, {@link SpreadStage} decides.
 */
public final class ChainStage implements Stage {
    private static final String CLOSED = "chain is down, closed";

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        for (final NetworkFunction function : node.functions()) {
            for (final Instance instance : function.instances()) {
                arrive(node, sink, function, instance.outsidePort(), Direction.TO_BACKBONE);
                arrive(node, sink, function, instance.insidePort(), Direction.TO_TENANT);
            }
            RoutedHop.planNode(node, function, sink);
        }
        sink.flow(Table.CHAIN_ROUTED, Priority.MISS, "a router sent what is not for its gateway").drop();
        sink.flow(Table.CHAIN_RETURN, Priority.MISS, "a function sent a tag it does not serve").drop();
        sink.flow(Table.CHAIN_RULE, Priority.MISS, "a function sent a tag it does not serve").drop();
        sink.flow(Table.CHAIN_STEER, Priority.MISS, "not of a chain with this function").drop();
        sink.flow(Table.CHAIN_IN, Priority.MISS, "no chain").go(Table.VRF_ROUTE);
        sink.flow(Table.CHAIN_OUT, Priority.MISS, "no chain").go(Table.NAT_MAP);
    }

    private static void arrive(final NodeView node, final FlowSink sink, final NetworkFunction function,
            final String port, final Direction direction) {
        final Action origin = Register.FUNCTION.load(node.number(function));
        if (function.nsh()) {
            NshHop.planPort(node, port, direction, origin, sink);
        } else {
            sink.flow(Table.CLASSIFY, Priority.NORMAL, HopLabels.FROM + port).when(MatchField.IN_PORT, node.port(port))
                .then(origin, direction.load())
                .go(function.routed().isPresent() ? Table.CHAIN_ROUTED : Table.CHAIN_RETURN);
        }
        if (function.health().isPresent() && function.routed().isEmpty()) {
            sink.flow(Table.CHAIN_RETURN, Priority.GUARD, HopLabels.PROBE + port)
                .when(MatchField.IN_PORT, node.port(port)).when(MatchField.VLAN_VID, Constants.PROBE_VLAN)
                .then(probe(node.port(port), new Action.PopVlan())).end();
        }
    }

    /**
     * A packet that may be a probe, behind the limit of the port that it came from, which stands before all actions.
     *
     * @param changes what happens to it before the controller has it
     */
    static List<Action> probe(final int port, final Action... changes) {
        final List<Action> actions = new ArrayList<>(List.of(new Action.Meter(FunctionMeter.number(port))));
        actions.addAll(List.of(changes));
        actions.add(new Action.Controller(Constants.PACKET_IN_BYTES));
        return actions;
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        final Hops hops = new Hops(node, view);
        planDefault(hops, sink);
        planRules(hops, sink);
        planReturns(hops, sink);
        for (final Direction direction : Direction.values()) {
            hops.next(direction).keySet().stream().filter(function -> function.routed().isPresent())
                .forEach(router -> RoutedHop.planTenant(node, view, router, direction, sink));
        }
    }

    /** Packets of which no rule says where they go. Only here networks may be seen at other addresses. */
    private static void planDefault(final Hops hops, final FlowSink sink) {
        final TenantView view = hops.view();
        final TenantView.Path path = view.paths().get(0);
        final BiFunction<Integer, String, FlowSink.Draft> toBackbone =
            (priority, label) -> sink.flow(Table.CHAIN_OUT, priority, label).when(view.isVrf());
        final BiFunction<Integer, String, FlowSink.Draft> toTenant =
            (priority, label) -> sink.flow(Table.CHAIN_IN, priority, label).when(view.isVrf()).then(view.limitIn());
        if (path.functions().isEmpty()) {
            TwiceNat.shut(view, toTenant, CLOSED);
            toTenant.apply(Priority.NORMAL, CLOSED).drop();
            toBackbone.apply(Priority.NORMAL, CLOSED).drop();
        } else if (path.functions().orElseThrow().isEmpty()) {
            final List<NetworkFunction> copies = path.copies().get(0);
            TwiceNat.out(view, toBackbone, flow -> hops.copy(flow, copies, Direction.TO_BACKBONE).go(Table.NAT_MAP));
            TwiceNat.in(view, toTenant, "", flow -> hops.copy(flow, copies, Direction.TO_TENANT).go(inside(view)));
            if (view.hasListIn() || !view.limitIn().isEmpty() || !copies.isEmpty()) {
                hops.copy(toTenant.apply(Priority.NORMAL, "no chain"), copies, Direction.TO_TENANT).go(inside(view));
            }
            if (!copies.isEmpty()) {
                for (final Acl.Family family : view.families()) {
                    toBackbone(hops.copy(family(toBackbone.apply(Priority.NORMAL, "no chain"), family), copies,
                        Direction.TO_BACKBONE), family);
                }
            }
        } else {
            final String last = hops.label(path, Direction.TO_TENANT);
            hops.enter(toBackbone.apply(Priority.NORMAL, hops.label(path, Direction.TO_BACKBONE)), path,
                Direction.TO_BACKBONE);
            hops.enter(toTenant.apply(Priority.NORMAL, last), path, Direction.TO_TENANT);
            TwiceNat.in(view, toTenant, last + ", ", flow -> hops.enter(flow, path, Direction.TO_TENANT));
        }
    }

    /** Packets of which a rule says where they go. */
    private static void planRules(final Hops hops, final FlowSink sink) {
        final TenantView view = hops.view();
        for (final Direction direction : Direction.values()) {
            final Table table = direction == Direction.TO_BACKBONE ? Table.CHAIN_OUT : Table.CHAIN_IN;
            eachRule(view, direction, (index, family, entry, steering) -> {
                final TenantView.Path path = view.paths().get(steering.path());
                final String label = path.functions().isEmpty() ? CLOSED + ", rule " + steering.rule()
                    : path.functions().orElseThrow().isEmpty() ? "no chain, rule " + steering.rule()
                    : hops.label(path, direction) + ", rule " + steering.rule();
                EntryFlows.plan(entry, family, EntryFlows.id(view.vrf(), family, index),
                    () -> sink.flow(table, Priority.chainRule(index), label).when(view.isVrf()),
                    flow -> begin(hops, flow, path, direction, family));
            });
        }
    }

    private static void begin(final Hops hops, final FlowSink.Draft flow, final TenantView.Path path,
            final Direction direction, final Acl.Family family) {
        final TenantView view = hops.view();
        if (direction == Direction.TO_TENANT) {
            flow.then(view.limitIn());
        }
        if (path.functions().isEmpty()) {
            flow.drop();
        } else if (!path.functions().orElseThrow().isEmpty()) {
            hops.enter(flow, path, direction);
        } else if (direction == Direction.TO_TENANT) {
            hops.copy(flow, path.copies().get(0), direction).go(inside(view));
        } else {
            toBackbone(hops.copy(flow, path.copies().get(0), direction), family);
        }
    }

    private static FlowSink.Draft family(final FlowSink.Draft flow, final Acl.Family family) {
        return family == Acl.Family.IPV4 ? flow.ipv4() : flow.ipv6();
    }

    /** What has passed its chain, or has none. IPv6 is not translated. */
    private static void toBackbone(final FlowSink.Draft flow, final Acl.Family family) {
        if (family == Acl.Family.IPV4) {
            flow.go(Table.NAT_MAP);
        } else {
            flow.then(Register.VRF.load(Constants.BACKBONE_VRF)).go(Table.BACKBONE_ROUTE);
        }
    }

    /** Takes an entry of a rule as packets of a direction meet it. */
    private interface RuleTaker {
        void take(int index, Acl.Family family, Acl.Entry entry, TenantView.Steering steering);
    }

    private static void eachRule(final TenantView view, final Direction direction, final RuleTaker taker) {
        for (int index = 0; index < view.steering().size(); index++) {
            final TenantView.Steering steering = view.steering().get(index);
            final boolean out = direction == Direction.TO_BACKBONE;
            if (steering.ways().has(out) && (out || steering.entry().hasAnswers())) {
                for (final Acl.Family family : view.families()) {
                    if (steering.entry().isAbout(family)) {
                        taker.take(index, family, out ? steering.entry() : steering.entry().answer(), steering);
                    }
                }
            }
        }
    }

    /** The entry by which a packet of a direction is steered. */
    static Optional<TenantView.Steering> steering(final TenantView view, final Direction direction,
            final FiveTuple packet) {
        final List<TenantView.Steering> met = new ArrayList<>();
        eachRule(view, direction, (index, family, entry, steering) -> {
            if (family == packet.family() && entry.isAbout(packet)) {
                met.add(steering);
            }
        });
        return met.stream().findFirst();
    }

    /** Frames that come back: straight on where all paths agree, else by the rules once more. */
    private static void planReturns(final Hops hops, final FlowSink sink) {
        final TenantView view = hops.view();
        for (final Direction direction : Direction.values()) {
            final Map<NetworkFunction, SortedMap<Integer, Next>> next = hops.next(direction);
            boolean parted = false;
            for (final NetworkFunction from : next.keySet()) {
                final SortedMap<Integer, Next> ways = next.get(from);
                if (Set.copyOf(ways.values()).size() == 1) {
                    final int path = ways.firstKey();
                    leave(hops, sink, Table.CHAIN_RETURN, from, ways.get(path), direction, List.of(),
                        ways.size() == 1 ? view.paths().get(path).note() : "");
                    continue;
                }
                parted = true;
                hops.returned(sink, Table.CHAIN_RETURN, from, direction, Priority.NORMAL, "rules behind "
                    + hops.side(from, direction)).go(Table.CHAIN_RULE);
                ways.forEach((path, to) -> leave(hops, sink, Table.CHAIN_STEER, from, to, direction,
                    List.of(Register.CHAIN.is(path)), view.paths().get(path).note()));
            }
            if (parted) {
                planRulesAgain(view, direction, sink);
            }
        }
    }

    private static void planRulesAgain(final TenantView view, final Direction direction, final FlowSink sink) {
        final List<FieldMatch> scope =
            List.of(FieldMatch.of(MatchField.VLAN_VID, view.vrf()), Register.FROM_BACKBONE.is(direction.ordinal()));
        eachRule(view, direction, (index, family, entry, steering) -> EntryFlows.plan(entry, family,
            EntryFlows.id(view.vrf(), family, 2 * index + direction.ordinal()),
            () -> sink.flow(Table.CHAIN_RULE, Priority.chainRule(index), "rule " + steering.rule()).when(scope),
            flow -> flow.then(Register.CHAIN.load(steering.path())).go(Table.CHAIN_STEER)));
        sink.flow(Table.CHAIN_RULE, Priority.LOW, "no rule").when(scope).go(Table.CHAIN_STEER);
    }

    /** From a function to the next, or out of the chain. */
    private static void leave(final Hops hops, final FlowSink sink, final Table table, final NetworkFunction from,
            final Next next, final Direction direction, final List<FieldMatch> where, final String note) {
        final TenantView view = hops.view();
        if (next.to().isPresent()) {
            final NetworkFunction to = next.to().orElseThrow();
            hops.passOn(hops.returned(sink, table, from, direction, Priority.NORMAL, HopLabels.HOP
                + hops.side(to, direction) + note).when(where).then(hops.copies(next.copies(), direction)), to,
                direction);
            return;
        }
        final BiFunction<Integer, String, FlowSink.Draft> out = (priority, label) ->
            hops.returned(sink, table, from, direction, priority, label).when(where)
                .then(hops.copies(next.copies(), direction)).then(hops.untag());
        final String side = hops.side(from, direction.other());
        if (direction == Direction.TO_TENANT) {
            out.apply(Priority.NORMAL, "to the tenant from " + side + note).go(inside(view));
            return;
        }
        toBackbone(out.apply(Priority.NORMAL, "to the backbone from " + side + note), Acl.Family.IPV4);
        if (view.hasIpv6()) {
            toBackbone(out.apply(Priority.HIGH, "IPv6 to the backbone from " + side + note).ipv6(), Acl.Family.IPV6);
        }
        TwiceNat.out(view, out, flow -> flow.go(Table.NAT_MAP));
    }

    /** Where packets go that have left the chain towards the tenant. */
    private static Table inside(final TenantView view) {
        return view.hasListIn() ? Table.TENANT_ACL_IN : Table.VRF_ROUTE;
    }

    /**
     * What comes behind a function.
     *
     * @param to the next one; absent where packets leave the chain
     * @param copies mirrors between the two
     */
    private record Next(Optional<NetworkFunction> to, List<NetworkFunction> copies) { }

    /** The steps of a tenant's chains. */
    private record Hops(NodeView node, TenantView view) {
        /** A function by the side that packets of a direction enter it from. */
        String side(final NetworkFunction function, final Direction direction) {
            return function.name() + (direction == Direction.TO_BACKBONE ? "-in" : "-out");
        }

        String label(final TenantView.Path path, final Direction direction) {
            return HopLabels.HOP + side(first(path, direction), direction) + path.note();
        }

        /** The function that packets of a direction come to first. */
        private static NetworkFunction first(final TenantView.Path path, final Direction direction) {
            final List<NetworkFunction> functions = path.functions().orElseThrow();
            return functions.get(direction == Direction.TO_BACKBONE ? 0 : functions.size() - 1);
        }

        /** Of each function what is behind it, by path. */
        Map<NetworkFunction, SortedMap<Integer, Next>> next(final Direction direction) {
            final Map<NetworkFunction, SortedMap<Integer, Next>> next = new LinkedHashMap<>();
            for (int path = 0; path < view.paths().size(); path++) {
                final List<NetworkFunction> functions = view.paths().get(path).functions().orElse(List.of());
                for (int hop = 0; hop < functions.size(); hop++) {
                    final int behind = direction == Direction.TO_BACKBONE ? hop + 1 : hop - 1;
                    next.computeIfAbsent(functions.get(hop), function -> new TreeMap<>()).put(path, new Next(
                        behind < 0 || behind == functions.size() ? Optional.empty()
                            : Optional.of(functions.get(behind)),
                        view.paths().get(path).copies().get(direction == Direction.TO_BACKBONE ? hop + 1 : hop)));
                }
            }
            return next;
        }

        /** Sends frames that have the tag to mirrors: to the side that packets of the direction enter from. */
        List<Action> copies(final List<NetworkFunction> mirrors, final Direction direction) {
            return mirrors.stream().<Action>map(mirror ->
                new Action.Output(node.port(direction.port(mirror.single())))).toList();
        }

        /** Sends packets without a tag to mirrors; they are without it again behind that. */
        FlowSink.Draft copy(final FlowSink.Draft flow, final List<NetworkFunction> mirrors,
                final Direction direction) {
            return mirrors.isEmpty() ? flow
                : flow.then(tag(direction)).then(copies(mirrors, direction)).then(new Action.PopVlan());
        }

        private List<Action> tag(final Direction direction) {
            final List<Action> actions = new ArrayList<>(direction.addresses());
            actions.add(new Action.SetField(MatchField.VLAN_VID, view.vrf()));
            return actions;
        }

        /** Finishes a flow for packets without a tag. */
        void enter(final FlowSink.Draft flow, final TenantView.Path path, final Direction direction) {
            final NetworkFunction function = first(path, direction);
            final List<NetworkFunction> mirrors =
                path.copies().get(direction == Direction.TO_BACKBONE ? 0 : path.copies().size() - 1);
            if (function.spread()) {
                SpreadStage.enter(node, view, copy(flow, mirrors, direction).then(direction.load()), function);
            } else if (function.routed().isPresent()) {
                copy(flow, mirrors, direction).then(RoutedHop.into(function.routed().orElseThrow(), direction))
                    .then(output(function, direction)).end();
            } else {
                flow.then(tag(direction)).then(copies(mirrors, direction)).then(wrap(function, direction))
                    .then(output(function, direction)).end();
            }
        }

        /** Finishes a flow for frames that have the tag. */
        void passOn(final FlowSink.Draft flow, final NetworkFunction to, final Direction direction) {
            if (to.spread()) {
                SpreadStage.enter(node, view, flow.then(untag()), to);
            } else if (to.routed().isPresent()) {
                flow.then(new Action.PopVlan()).then(RoutedHop.into(to.routed().orElseThrow(), direction))
                    .then(output(to, direction)).end();
            } else {
                flow.then(wrap(to, direction)).then(output(to, direction)).end();
            }
        }

        private List<Action> wrap(final NetworkFunction function, final Direction direction) {
            return function.nsh() ? NshHop.wrap(direction, view.vrf()) : List.of();
        }

        private Action output(final NetworkFunction function, final Direction direction) {
            return new Action.Output(node.port(direction.port(function.single())));
        }

        List<Action> untag() {
            return List.of(new Action.PopVlan(), Register.VRF.load(view.vrf()));
        }

        /** Frames that come back from a function. */
        FlowSink.Draft returned(final FlowSink sink, final Table table, final NetworkFunction from,
                final Direction direction, final int priority, final String label) {
            return sink.flow(table, priority, label).when(MatchField.VLAN_VID, view.vrf())
                .when(Register.FUNCTION.is(node.number(from)), Register.FROM_BACKBONE.is(direction.ordinal()));
        }
    }
}
