// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Which way the plan leads a packet to the backbone, and its answer, through the functions of a tenant. Decides by what
 * the flows of the chain tables are made from. Knows nothing of access lists, translation and routes, nor of functions
 * that send another packet than they got.
 *
 * @param outbound of the packet
 * @param inbound of the answer
 */
public record ChainTrace(Way outbound, Way inbound) {
    /** Why a packet comes to an instance, or does not. */
    public enum Reason {
        ONLY("only instance"), SHARE("share of new connections"), KEEPS("keeps its connection"), COPY("mirror copy"),
        BYPASSED("bypassed: down, open"), STOPPED("stopped: down, closed");

        private final String text;

        Reason(final String text) {
            this.text = text;
        }

        /** For operators. */
        public String text() {
            return text;
        }
    }

    /**
     * A function on the way.
     *
     * @param instance the chosen one; absent where no packet comes
     * @param portTo by which the packet comes to the instance; empty where none does
     * @param portFrom by which it comes back; empty where none does
     */
    public record Hop(String function, Optional<String> instance, Reason reason, String portTo, String portFrom) { }

    /**
     * How a frame comes to the switch.
     *
     * @param vlan 0 for no tag
     */
    public record Frame(String port, int vlan, Mac sourceMac, Mac destinationMac) { }

    /**
     * One direction.
     *
     * @param chain name; absent for none
     * @param rule that names the chain, or none; absent where the tenant's own chain is meant
     * @param hops in the order of the packet; where the packet is stopped the function that is to blame, and no other
     *     unless it is stopped where it leaves one for a branch
     */
    public record Way(Optional<String> chain, Optional<String> rule, List<Hop> hops) {
        public Way {
            hops = List.copyOf(hops);
        }

        /** Whether the packet is dropped for want of a function. */
        public boolean isStopped() {
            return hops.stream().anyMatch(hop -> hop.reason() == Reason.STOPPED);
        }
    }

    /**
     * Traces a packet and its answer.
     *
     * @param label of the connection in the zone of the tenant's chains, should there be one
     * @throws IllegalArgumentException when it is not from the tenant to the backbone, with the name of the field
     */
    public static ChainTrace of(final NodeView node, final Tenant tenant, final FiveTuple packet,
            final Optional<BigInteger> label) {
        final TenantView view = node.view(tenant);
        check(view, packet);
        final Walk walk = new Walk(node, view, label.orElse(BigInteger.ZERO));
        final Way outbound = walk.way(Direction.TO_BACKBONE, packet);
        return new ChainTrace(outbound, walk.way(Direction.TO_TENANT, packet.answer()));
    }

    /**
     * How packets of a tenant come back from an instance.
     *
     * @param out whether they go to the backbone
     * @param second whether they leave it for a branch of the chain then
     */
    public static Frame back(final TenantView view, final NetworkFunction function, final Instance instance,
            final boolean out, final boolean second) {
        final Direction direction = out ? Direction.TO_BACKBONE : Direction.TO_TENANT;
        final String port = out && second ? instance.secondPort() : direction.other().port(instance);
        return function.routed().map(routed -> RoutedHop.sent(routed, direction, port)).orElseGet(() -> out
            ? new Frame(port, view.vrf().number(), Constants.CHAIN_INSIDE_MAC, Constants.CHAIN_OUTSIDE_MAC)
            : new Frame(port, view.vrf().number(), Constants.CHAIN_OUTSIDE_MAC, Constants.CHAIN_INSIDE_MAC));
    }

    private static void check(final TenantView view, final FiveTuple packet) {
        final Tenant tenant = view.tenant();
        if (!view.families().contains(packet.family())) {
            throw new IllegalArgumentException("source-address: tenant " + tenant.name() + " has no route to the "
                + "backbone for " + (packet.family() == IpFamily.IPV4 ? "IPv4: it has no nat" : "IPv6"));
        }
        final boolean ipv4 = packet.family() == IpFamily.IPV4;
        final boolean from = ipv4 ? tenant.insidePrefixes().stream().anyMatch(
            prefix -> prefix.contains(packet.source4()))
            : tenant.ipv6().insidePrefixes().stream().anyMatch(prefix -> prefix.contains(packet.source()));
        if (!from) {
            throw new IllegalArgumentException("source-address: " + packet.text(packet.source())
                + " is in no subnet and no route of tenant " + tenant.name());
        }
        final boolean to = ipv4 ? tenant.insidePrefixes().stream().anyMatch(
            prefix -> prefix.contains(packet.destination4()))
            : tenant.ipv6().insidePrefixes().stream().anyMatch(prefix -> prefix.contains(packet.destination()));
        if (to) {
            throw new IllegalArgumentException("destination-address: " + packet.text(packet.destination())
                + " is inside the VRF of tenant " + tenant.name() + ", where packets pass no chain");
        }
        view.twice().stream().filter(twice -> ipv4 && twice.outside().contains(packet.destination4())).findFirst()
            .ifPresent(twice -> {
                throw new IllegalArgumentException("destination-address: tenant " + tenant.name() + " sees "
                    + twice.outside() + " at " + twice.seen() + "; give the address there");
            });
    }

    /** What a connection meets; its label grows on the way. */
    private static final class Walk {
        private final NodeView node;
        private final TenantView view;
        private BigInteger label;

        Walk(final NodeView node, final TenantView view, final BigInteger label) {
            this.node = node;
            this.view = view;
            this.label = label;
        }

        Way way(final Direction direction, final FiveTuple packet) {
            final Optional<TenantView.Steering> steering = ChainRules.of(view, direction, packet);
            final TenantView.Path path = view.paths().get(steering.map(TenantView.Steering::path).orElse(0));
            final Optional<String> chain = path.chain();
            final List<Hop> hops = new ArrayList<>();
            final Optional<NetworkFunction> branching = branching(path);
            final List<NetworkFunction> functions = new ArrayList<>(chain.map(name -> branching.isEmpty()
                ? node.snapshot().functionsOf(name)
                : node.snapshot().named(requireNonNull(node.snapshot().chains().get(name)).alongBranch()))
                .orElse(List.of()));
            if (direction == Direction.TO_TENANT) {
                Collections.reverse(functions);
            }
            for (final NetworkFunction function : functions) {
                switch (TenantView.Part.of(node, function)) {
                    case STOPPED -> {
                        hops.subList(passed(branching, direction, hops), hops.size()).clear();
                        hops.add(new Hop(function.name(), Optional.empty(), Reason.STOPPED, "", ""));
                        return new Way(chain, steering.map(TenantView.Steering::rule), hops);
                    }
                    case BYPASSED -> hops.add(new Hop(function.name(), Optional.empty(), Reason.BYPASSED, "", ""));
                    case COPIED -> hops.add(new Hop(function.name(), Optional.of(function.single().name()),
                        Reason.COPY, direction.port(function.single()), ""));
                    default -> hops.add(branching.equals(Optional.of(function)) ? branch(direction, function)
                        : pass(direction, function, packet));
                }
            }
            return new Way(chain, steering.map(TenantView.Steering::rule), hops);
        }

        /** The function behind whose second output the connection goes on, if it has been there. */
        private Optional<NetworkFunction> branching(final TenantView.Path path) {
            return path.branch().filter(branch -> KeptInstances.kept(branch.place(), label)
                == node.port(branch.at().single().secondPort())).map(TenantView.Branch::at);
        }

        /** How many functions a packet meets that is stopped: those up to where the branch begins, or none. */
        private static int passed(final Optional<NetworkFunction> branching, final Direction direction,
                final List<Hop> hops) {
            return direction == Direction.TO_TENANT || branching.isEmpty() ? 0
                : 1 + hops.stream().map(Hop::function).toList().indexOf(branching.orElseThrow().name());
        }

        private static Hop branch(final Direction direction, final NetworkFunction function) {
            final Instance instance = function.single();
            return direction == Direction.TO_BACKBONE
                ? new Hop(function.name(), Optional.of(instance.name()), Reason.KEEPS, instance.insidePort(),
                    instance.secondPort())
                : new Hop(function.name(), Optional.of(instance.name()), Reason.KEEPS, instance.secondPort(),
                    instance.insidePort());
        }

        private Hop pass(final Direction direction, final NetworkFunction function, final FiveTuple packet) {
            if (!function.spread()) {
                return hop(direction, function, function.single(), Reason.ONLY);
            }
            final int place = view.place(function);
            final Optional<Instance> kept = KeptInstances.kept(node, function, place, label);
            if (kept.isPresent()) {
                return hop(direction, function, kept.orElseThrow(), Reason.KEEPS);
            }
            final Instance chosen = Share.of(function, node.verdict(function), node.working(function))
                .get(Share.bucketOf(packet));
            label = KeptInstances.keep(node, chosen, place, label);
            return hop(direction, function, chosen,
                node.working(function).size() == 1 ? Reason.ONLY : Reason.SHARE);
        }

        private static Hop hop(final Direction direction, final NetworkFunction function, final Instance instance,
                final Reason reason) {
            return new Hop(function.name(), Optional.of(instance.name()), reason, direction.port(instance),
                direction.other().port(instance));
        }
    }
}
