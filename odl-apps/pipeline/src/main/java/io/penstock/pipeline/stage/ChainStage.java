// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Leads a tenant's traffic through its network functions, and the return traffic through the same ones in reverse.
 * Frames to a function carry the VRF id as 802.1Q tag, since addresses of tenants overlap; a frame that comes back is
 * known by its port and tag. Between the chain and the backbone stands {@link TwiceNat}; where a function has several
 * instances, the tables from chain_track decide to which one a frame goes.
 */
public final class ChainStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.CLASSIFY, Table.CHAIN_ROUTED, Table.CHAIN_RETURN,
        Table.CHAIN_RULE, Table.CHAIN_STEER, Table.CHAIN_IN, Table.CHAIN_OUT, Table.CHAIN_BRANCH, Table.CHAIN_SIDE);

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        for (final NetworkFunction function : node.functions()) {
            for (final Instance instance : function.instances()) {
                arrive(node, sink, function, instance.outsidePort(), Direction.TO_BACKBONE);
                arrive(node, sink, function, instance.insidePort(), Direction.TO_TENANT);
                if (function.twoOutputs()) {
                    final int port = node.port(instance.secondPort());
                    sink.flow(Table.CLASSIFY, Priority.NORMAL, HopLabels.FROM + instance.secondPort())
                        .when(MatchField.IN_PORT, port).then(Register.FUNCTION.load(port), Direction.TO_BACKBONE.load())
                        .go(Table.CHAIN_RETURN);
                }
            }
            RoutedHop.planNode(node, function, sink);
        }
        if (node.functions().stream().anyMatch(NetworkFunction::twoOutputs)) {
            KeptInstances.read(sink, Table.CHAIN_BRANCH, Table.CHAIN_SIDE);
        }
        for (final Table table : List.of(Table.CHAIN_BRANCH, Table.CHAIN_SIDE)) {
            sink.flow(table, Priority.MISS, "no branch").drop();
        }
        sink.flow(Table.CHAIN_ROUTED, Priority.MISS, "routed function sent a frame that is not for its gateway")
            .dropUnshown();
        sink.flow(Table.CHAIN_RETURN, Priority.MISS, "function sent an 802.1Q tag that it does not serve").drop();
        // Behind a network service header nothing was read before.
        Unreadable.drop(sink, Table.CHAIN_RETURN);
        if (!node.functions().isEmpty()) {
            Unreadable.dropCutOff(sink, Table.CHAIN_RETURN);
        }
        sink.flow(Table.CHAIN_RULE, Priority.MISS, "function sent an 802.1Q tag that it does not serve").drop();
        sink.flow(Table.CHAIN_STEER, Priority.MISS, "packet of a chain without this function").drop();
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
                .then(Probes.report(node.port(port), new Action.PopVlan())).end();
        }
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        final Hops hops = new Hops(node, view);
        planDefault(hops, sink);
        planRules(hops, sink);
        planBranches(hops, sink);
        planReturns(hops, sink);
        for (final Direction direction : Direction.values()) {
            hops.next(direction).keySet().stream().map(Hops.Stop::function)
                .filter(function -> function.routed().isPresent())
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
        if (path.trunk().working().isEmpty()) {
            TwiceNat.shut(view, toTenant, Hops.CLOSED);
            toTenant.apply(Priority.NORMAL, Hops.CLOSED).drop();
            toBackbone.apply(Priority.NORMAL, Hops.CLOSED).drop();
        } else if (path.trunk().working().orElseThrow().isEmpty()) {
            final List<NetworkFunction> copies = path.trunk().copies().get(0);
            TwiceNat.out(view, toBackbone, flow -> hops.copy(flow, copies, Direction.TO_BACKBONE).go(Table.NAT_MAP));
            TwiceNat.in(view, toTenant, "", flow -> hops.copy(flow, copies, Direction.TO_TENANT).go(inside(view)));
            if (view.hasListIn() || !view.limitIn().isEmpty() || !copies.isEmpty()) {
                hops.copy(toTenant.apply(Priority.NORMAL, "no chain"), copies, Direction.TO_TENANT).go(inside(view));
            }
            if (!copies.isEmpty()) {
                for (final IpFamily family : view.families()) {
                    toBackbone(hops.copy(family(toBackbone.apply(Priority.NORMAL, "no chain"), family), copies,
                        Direction.TO_BACKBONE), family);
                }
            }
        } else {
            final String last = hops.label(path, Direction.TO_TENANT);
            hops.enter(toBackbone.apply(Priority.NORMAL, hops.label(path, Direction.TO_BACKBONE)), 0,
                Direction.TO_BACKBONE);
            if (path.branch().isEmpty()) {
                hops.enter(toTenant.apply(Priority.NORMAL, last), 0, Direction.TO_TENANT);
                TwiceNat.in(view, toTenant, last + ", ", flow -> hops.enter(flow, 0, Direction.TO_TENANT));
            } else {
                view.families().forEach(family -> hops.enter(family(toTenant.apply(Priority.NORMAL,
                    Hops.UNDECIDED), family), 0, Direction.TO_TENANT));
                TwiceNat.in(view, toTenant, "", flow -> hops.enter(flow, 0, Direction.TO_TENANT));
            }
        }
    }

    /** Packets of which a rule says where they go. */
    private static void planRules(final Hops hops, final FlowSink sink) {
        final TenantView view = hops.view();
        for (final Direction direction : Direction.values()) {
            final Table table = direction == Direction.TO_BACKBONE ? Table.CHAIN_OUT : Table.CHAIN_IN;
            ChainRules.each(view, direction, (index, family, entry, steering) -> {
                final TenantView.Path path = view.paths().get(steering.path());
                final String label = (path.trunk().working().isEmpty() ? Hops.CLOSED
                    : path.trunk().working().orElseThrow().isEmpty() ? "no chain"
                    : path.branch().isPresent() && direction == Direction.TO_TENANT ? Hops.UNDECIDED
                    : hops.label(path, direction)) + ", rule " + steering.rule();
                EntryFlows.plan(entry, family, EntryFlows.id(view.vrf().number(), family, index),
                    () -> sink.flow(table, Priority.chainRule(index), label).when(view.isVrf()),
                    flow -> begin(hops, flow, steering.path(), direction, family));
            });
        }
    }

    private static void begin(final Hops hops, final FlowSink.Draft flow, final int path, final Direction direction,
            final IpFamily family) {
        final TenantView view = hops.view();
        final TenantView.Functions trunk = view.paths().get(path).trunk();
        if (direction == Direction.TO_TENANT) {
            flow.then(view.limitIn());
        }
        if (trunk.working().isEmpty()) {
            flow.drop();
        } else if (!trunk.working().orElseThrow().isEmpty()) {
            hops.enter(flow, path, direction);
        } else if (direction == Direction.TO_TENANT) {
            hops.copy(flow, trunk.copies().get(0), direction).go(inside(view));
        } else {
            toBackbone(hops.copy(flow, trunk.copies().get(0), direction), family);
        }
    }

    private static FlowSink.Draft family(final FlowSink.Draft flow, final IpFamily family) {
        return family == IpFamily.IPV4 ? flow.ipv4() : flow.ipv6();
    }

    /** What has passed its chain, or has none. IPv6 is not translated. */
    private static void toBackbone(final FlowSink.Draft flow, final IpFamily family) {
        if (family == IpFamily.IPV4) {
            flow.go(Table.NAT_MAP);
        } else {
            flow.then(Crossing.toBackbone()).go(Table.BACKBONE_ROUTE);
        }
    }

    /** Frames that come back: straight on where all paths agree, else by the rules once more. */
    private static void planReturns(final Hops hops, final FlowSink sink) {
        final TenantView view = hops.view();
        for (final Direction direction : Direction.values()) {
            final Map<Hops.Stop, SortedMap<Integer, Hops.Next>> next = hops.next(direction);
            boolean parted = false;
            for (final Map.Entry<Hops.Stop, SortedMap<Integer, Hops.Next>> stop : next.entrySet()) {
                final Hops.Stop from = stop.getKey();
                final SortedMap<Integer, Hops.Next> ways = stop.getValue();
                if (Set.copyOf(ways.values()).size() == 1) {
                    final int path = ways.firstKey();
                    leave(hops, sink, Table.CHAIN_RETURN, from, requireNonNull(ways.get(path)), direction, List.of(),
                        ways.size() == 1 ? view.paths().get(path).note() : "");
                    continue;
                }
                parted = true;
                hops.returned(sink, Table.CHAIN_RETURN, from, direction, Priority.NORMAL, "rules behind "
                    + from.side(direction)).go(Table.CHAIN_RULE);
                ways.forEach((path, to) -> leave(hops, sink, Table.CHAIN_STEER, from, to, direction,
                    List.of(Register.CHAIN.is(path)), view.paths().get(path).note()));
            }
            if (parted) {
                planRulesAgain(view, direction, sink);
            }
        }
    }

    private static void planRulesAgain(final TenantView view, final Direction direction, final FlowSink sink) {
        final List<FieldMatch> scope = List.of(FieldMatch.of(MatchField.VLAN_VID, view.vrf().number()),
            Register.FROM_BACKBONE.is(direction.ordinal()));
        ChainRules.each(view, direction, (index, family, entry, steering) -> EntryFlows.plan(entry, family,
            EntryFlows.id(view.vrf().number(), family, 2 * index + direction.ordinal()),
            () -> sink.flow(Table.CHAIN_RULE, Priority.chainRule(index), "rule " + steering.rule()).when(scope),
            flow -> flow.then(Register.CHAIN.load(steering.path())).go(Table.CHAIN_STEER)));
        sink.flow(Table.CHAIN_RULE, Priority.LOW, "no rule").when(scope).go(Table.CHAIN_STEER);
    }

    /** From a function to the next, or out of the chain. */
    private static void leave(final Hops hops, final FlowSink sink, final Table table, final Hops.Stop from,
            final Hops.Next next, final Direction direction, final List<FieldMatch> where, final String note) {
        final TenantView view = hops.view();
        final BiFunction<Integer, String, FlowSink.Draft> back = (priority, label) ->
            hops.returned(sink, table, from, direction, priority, label).when(where)
                .then(hops.keep(from)).then(hops.copies(next.copies(), direction));
        if (next.dropped().isPresent()) {
            back.apply(Priority.NORMAL, next.dropped().orElseThrow() + note).drop();
            return;
        }
        if (next.to().isPresent()) {
            final Hops.Stop to = next.to().orElseThrow();
            final Supplier<FlowSink.Draft> hop =
                () -> back.apply(Priority.NORMAL, HopLabels.HOP + to.side(direction) + note);
            if (from.second()) {
                view.families().forEach(family -> hops.passOn(family(hop.get(), family), to, direction));
            } else {
                hops.passOn(hop.get(), to, direction);
            }
            return;
        }
        final BiFunction<Integer, String, FlowSink.Draft> out =
            (priority, label) -> back.apply(priority, label).then(hops.untag());
        final String side = from.second() ? from.function().single().secondPort() : from.side(direction.other());
        if (direction == Direction.TO_TENANT) {
            out.apply(Priority.NORMAL, "to the tenant from " + side + note).go(inside(view));
            return;
        }
        final FlowSink.Draft first = out.apply(Priority.NORMAL, "to the backbone from " + side + note);
        toBackbone(from.second() ? first.ipv4() : first, IpFamily.IPV4);
        if (view.hasIpv6()) {
            toBackbone(out.apply(Priority.HIGH, "IPv6 to the backbone from " + side + note).ipv6(), IpFamily.IPV6);
        }
        TwiceNat.out(view, out, flow -> flow.go(Table.NAT_MAP));
    }

    /** Packets to the tenant, of which it is looked up whether their connection is in a branch. */
    private static void planBranches(final Hops hops, final FlowSink sink) {
        final TenantView view = hops.view();
        for (int path = 0; path < view.paths().size(); path++) {
            final TenantView.Path way = view.paths().get(path);
            final List<FieldMatch> where = List.of(view.isVrf(), Register.CHAIN.is(path));
            way.branch().ifPresent(branch -> {
                final FlowSink.Draft inside =
                    sink.flow(Table.CHAIN_SIDE, Priority.HIGH, hops.branchLabel(branch) + way.note()).when(where)
                        .when(Register.INSTANCE.is(hops.node().port(branch.at().single().secondPort())));
                if (branch.functions().working().isEmpty()) {
                    inside.drop();
                } else {
                    hops.enterBranch(inside, branch);
                }
                hops.enterTrunk(sink.flow(Table.CHAIN_SIDE, Priority.NORMAL, hops.label(way, Direction.TO_TENANT))
                    .when(where), way);
            });
        }
    }

    /** Where packets go that have left the chain towards the tenant. */
    private static Table inside(final TenantView view) {
        return view.hasListIn() ? Table.TENANT_ACL_IN : Table.VRF_ROUTE;
    }
}
