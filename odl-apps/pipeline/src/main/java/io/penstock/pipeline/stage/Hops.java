// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The steps of a tenant's chains. */
record Hops(NodeView node, TenantView view) {
    /** Why nothing passes. */
    static final String CLOSED = "chain stopped by fail policy closed";
    /** Where it is not known yet which function of a chain comes. */
    static final String UNDECIDED = "branch not decided";
    private static final String BRANCH_CLOSED = "branch stopped by fail policy closed";

    /**
     * A function where packets come out of it, or go into it.
     *
     * @param second whether by its second output, by which answers go into it
     */
    record Stop(NetworkFunction function, boolean second) {
        private static Stop first(final NetworkFunction function) {
            return new Stop(function, false);
        }

        /** The port by which packets of a direction come to it. */
        String entrance(final Direction direction) {
            return second && direction == Direction.TO_TENANT ? function.single().secondPort()
                : direction.port(function.single());
        }

        /** The function by the side that packets of a direction enter it from. */
        String side(final Direction direction) {
            return function.name() + (direction == Direction.TO_BACKBONE ? "-in" : second ? "-alt" : "-out");
        }

        /** What tells in {@link Register#FUNCTION} that packets come from there. */
        int number(final NodeView at) {
            return second ? at.port(function.single().secondPort()) : at.number(function);
        }
    }

    /**
     * What comes behind a stop.
     *
     * @param to the next one; absent where packets leave the chain
     * @param copies mirrors between the two
     * @param dropped why nothing goes on; absent where it does
     */
    record Next(Optional<Stop> to, List<NetworkFunction> copies, Optional<String> dropped) {
        private static Next dropped(final String why) {
            return new Next(Optional.empty(), List.of(), Optional.of(why));
        }
    }

    /** Of each stop what is behind it, by path. */
    Map<Stop, SortedMap<Integer, Next>> next(final Direction direction) {
        final Map<Stop, SortedMap<Integer, Next>> next = new LinkedHashMap<>();
        for (int number = 0; number < view.paths().size(); number++) {
            final int path = number;
            final TenantView.Path way = view.paths().get(path);
            behind(way.trunk(), Optional.empty(), direction).forEach((stop, behind) -> put(next, stop, path, behind));
            if (direction == Direction.TO_BACKBONE) {
                way.trunk().working().orElse(List.of()).stream().filter(NetworkFunction::twoOutputs).forEach(function ->
                    put(next, new Stop(function, true), path, Next.dropped(
                        way.branch().filter(branch -> branch.at().equals(function)).isPresent() ? BRANCH_CLOSED
                            : "the chain has no branch at " + function.name())));
            }
            way.branch().ifPresent(branch -> behind(branch.functions(), Optional.of(new Stop(branch.at(), true)),
                direction).forEach((stop, behind) -> put(next, stop, path, behind)));
        }
        return next;
    }

    private static void put(final Map<Stop, SortedMap<Integer, Next>> next, final Stop stop, final int path,
            final Next behind) {
        next.computeIfAbsent(stop, each -> new TreeMap<>()).put(path, behind);
    }

    /** Of each of these functions what is behind it, and of the stop that is before them all. */
    private static Map<Stop, Next> behind(final TenantView.Functions functions, final Optional<Stop> before,
            final Direction direction) {
        final Map<Stop, Next> next = new LinkedHashMap<>();
        final boolean out = direction == Direction.TO_BACKBONE;
        if (functions.working().isEmpty()) {
            return next;
        }
        final List<Stop> stops = new ArrayList<>(before.stream().toList());
        final int own = stops.size();
        functions.working().orElseThrow().stream().map(Stop::first).forEach(stops::add);
        // Answers that go into the second output come back by the port where all of them do.
        for (int hop = out ? 0 : own; hop < stops.size(); hop++) {
            final int behind = out ? hop + 1 : hop - 1;
            next.put(stops.get(hop), new Next(behind < 0 || behind == stops.size() ? Optional.empty()
                : Optional.of(stops.get(behind)), functions.copies().get(out ? behind - own : hop - own),
                Optional.empty()));
        }
        return next;
    }

    /** A label of what enters a path. */
    String label(final TenantView.Path path, final Direction direction) {
        return HopLabels.HOP + first(path.trunk(), Optional.empty(), direction).side(direction) + path.note();
    }

    /** The stop that packets of a direction come to first. */
    private static Stop first(final TenantView.Functions functions, final Optional<Stop> before,
            final Direction direction) {
        final List<NetworkFunction> working = functions.working().orElseThrow();
        return working.isEmpty() ? before.orElseThrow()
            : Stop.first(working.get(direction == Direction.TO_BACKBONE ? 0 : working.size() - 1));
    }

    /** Sends frames that have the tag to mirrors: to the side that packets of the direction enter from. */
    List<Action> copies(final List<NetworkFunction> mirrors, final Direction direction) {
        return mirrors.stream().<Action>map(mirror ->
            new Action.Output(node.port(direction.port(mirror.single())))).toList();
    }

    /** Sends packets without a tag to mirrors; they are without it again behind that. */
    FlowSink.Draft copy(final FlowSink.Draft flow, final List<NetworkFunction> mirrors, final Direction direction) {
        return mirrors.isEmpty() ? flow
            : flow.then(tag(direction)).then(copies(mirrors, direction)).then(new Action.PopVlan());
    }

    private List<Action> tag(final Direction direction) {
        final List<Action> actions = new ArrayList<>(direction.addresses());
        actions.add(new Action.SetField(MatchField.VLAN_VID, view.vrf().number()));
        return actions;
    }

    /**
     * Finishes a flow for packets without a tag. Where the path has a branch, those to the tenant have to be known as
     * IPv4 or IPv6: whether they are of a connection in the branch is looked up.
     */
    void enter(final FlowSink.Draft flow, final int path, final Direction direction) {
        final TenantView.Path way = view.paths().get(path);
        if (direction == Direction.TO_TENANT && way.branch().isPresent()) {
            flow.then(direction.load(), Register.CHAIN.load(path),
                Register.ZONE.load(view.vrf().chainZone()),
                Register.PLACE.load(way.branch().orElseThrow().place()))
                .then(ConnTracking.lookUp(Table.CHAIN_BRANCH)).end();
        } else {
            enterFirst(flow, way.trunk(), Optional.empty(), direction);
        }
    }

    /** Finishes flows for packets to the tenant of which it is known whether they are of a connection in the branch. */
    void enterBranch(final FlowSink.Draft flow, final TenantView.Branch branch) {
        enterFirst(flow, branch.functions(), Optional.of(new Stop(branch.at(), true)), Direction.TO_TENANT);
    }

    /** The same for those that are not. */
    void enterTrunk(final FlowSink.Draft flow, final TenantView.Path path) {
        enterFirst(flow, path.trunk(), Optional.empty(), Direction.TO_TENANT);
    }

    /** Begins a label of what enters a branch, or says why nothing does. */
    String branchLabel(final TenantView.Branch branch) {
        return branch.functions().working().isEmpty() ? BRANCH_CLOSED
            : HopLabels.HOP + first(branch.functions(), Optional.of(new Stop(branch.at(), true)), Direction.TO_TENANT)
                .side(Direction.TO_TENANT);
    }

    private void enterFirst(final FlowSink.Draft flow, final TenantView.Functions functions,
            final Optional<Stop> before, final Direction direction) {
        final Stop stop = first(functions, before, direction);
        final NetworkFunction function = stop.function();
        final List<NetworkFunction> mirrors =
            functions.copies().get(direction == Direction.TO_BACKBONE ? 0 : functions.copies().size() - 1);
        if (function.spread()) {
            enterSpread(copy(flow, mirrors, direction).then(direction.load()), function);
        } else if (function.routed().isPresent()) {
            copy(flow, mirrors, direction).then(RoutedHop.into(function.routed().orElseThrow(), direction))
                .then(output(stop, direction)).end();
        } else {
            flow.then(tag(direction)).then(copies(mirrors, direction)).then(wrap(function, direction))
                .then(output(stop, direction)).end();
        }
    }

    /** Finishes a flow for frames that have the tag. */
    void passOn(final FlowSink.Draft flow, final Stop to, final Direction direction) {
        final NetworkFunction function = to.function();
        if (function.spread()) {
            enterSpread(flow.then(untag()), function);
        } else if (function.routed().isPresent()) {
            flow.then(new Action.PopVlan()).then(RoutedHop.into(function.routed().orElseThrow(), direction))
                .then(output(to, direction)).end();
        } else {
            flow.then(wrap(function, direction)).then(output(to, direction)).end();
        }
    }

    /** Finishes a flow for packets of the VRF without a tag, of which it is known where they go. */
    private void enterSpread(final FlowSink.Draft flow, final NetworkFunction function) {
        flow.then(Register.FUNCTION.load(node.number(function)),
            Register.ZONE.load(view.vrf().chainZone()),
            Register.PLACE.load(view.place(function))).go(Table.CHAIN_TRACK);
    }

    private List<Action> wrap(final NetworkFunction function, final Direction direction) {
        return function.nsh() ? NshHop.wrap(direction, view.vrf()) : List.of();
    }

    private Action output(final Stop to, final Direction direction) {
        return new Action.Output(node.port(to.entrance(direction)));
    }

    List<Action> untag() {
        return List.of(new Action.PopVlan(), Register.VRF.load(view.vrf().number()));
    }

    /** Has the connection of an IP packet stay in the branch, if it came out where that begins. */
    List<Action> keep(final Stop from) {
        return !from.second() ? List.of() : Stream.concat(
            Stream.of(Register.ZONE.load(view.vrf().chainZone()), Register.INSTANCE.load(from.number(node))),
            KeptInstances.keepByCopy(view.place(from.function())).stream()).toList();
    }

    /** Frames that come back from a function. */
    FlowSink.Draft returned(final FlowSink sink, final Table table, final Stop from, final Direction direction,
            final int priority, final String label) {
        return sink.flow(table, priority, label).when(MatchField.VLAN_VID, view.vrf().number())
            .when(Register.FUNCTION.is(from.number(node)), Register.FROM_BACKBONE.is(direction.ordinal()));
    }
}
