// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A network function of a node: one instance, or several that share its flows.
 *
 * @param spread whether each connection has an instance that it keeps; without it there is one instance, of the
 *     function's name
 * @param instances at least one
 * @param mode how packets come to it, and come back
 * @param health how it is found out whether an instance passes packets on; by its ports alone when absent
 * @param canary a new version that some instances run
 */
public record NetworkFunction(String name, String node, FailPolicy failPolicy, boolean shared, boolean spread,
        List<Instance> instances, Mode mode, Optional<HealthCheck> health, Optional<Canary> canary) {
    public NetworkFunction {
        instances = List.copyOf(instances);
        if (instances.isEmpty() || !spread && instances.size() > 1) {
            throw new IllegalArgumentException(name + ": " + instances.size() + " instances");
        }
    }

    /** One instance, and no connections that are kept to it. */
    public NetworkFunction(final String name, final String node, final FailPolicy failPolicy, final boolean shared) {
        this(name, node, failPolicy, shared, false, List.of(new Instance(name, State.IN_SERVICE, 1)),
            new Tagged(), Optional.empty(), Optional.empty());
    }

    /** The same with instances among which its connections are spread. */
    public NetworkFunction spread(final Instance... among) {
        return new NetworkFunction(name, node, failPolicy, shared, true, List.of(among), mode, health, canary);
    }

    /** The same in another mode. */
    public NetworkFunction with(final Mode other) {
        return new NetworkFunction(name, node, failPolicy, shared, spread, instances, other, health, canary);
    }

    /** The same with probes. */
    public NetworkFunction with(final HealthCheck check) {
        return new NetworkFunction(name, node, failPolicy, shared, spread, instances, mode, Optional.of(check), canary);
    }

    /** The same with a new version, or without one. */
    public NetworkFunction with(final Optional<Canary> judged) {
        return new NetworkFunction(name, node, failPolicy, shared, spread, instances, mode, health, judged);
    }

    /** Whether it only gets copies of what passes its place in a chain, and gives nothing back. */
    public boolean mirror() {
        return mode instanceof Mirror;
    }

    /** What a router is on its two sides; absent of any other function. */
    public Optional<Routed> routed() {
        return mode instanceof Routed links ? Optional.of(links) : Optional.empty();
    }

    /** Whether packets to the backbone come back by one of two ports. */
    public boolean twoOutputs() {
        return mode instanceof TwoOutputs;
    }

    /** The ports of an instance, that on the tenant side first. */
    public List<String> ports(final Instance instance) {
        return twoOutputs() ? List.of(instance.insidePort(), instance.outsidePort(), instance.secondPort())
            : instance.sides();
    }

    /** Whether its instances, or its outputs, are kept to connections, so that these are tracked. */
    public boolean keepsConnections() {
        return spread || twoOutputs();
    }

    /** Whether its frames have a network service header (RFC 8300). */
    public boolean nsh() {
        return mode instanceof Nsh;
    }

    /** How packets come to a function, and come back. */
    public sealed interface Mode { }

    /** As frames with the 802.1Q tag of their VRF, which it passes on as they are. */
    public record Tagged() implements Mode { }

    /** As such frames, which it passes on to the backbone by one of two ports. */
    public record TwoOutputs() implements Mode { }

    /** As copies of such frames; nothing comes back. */
    public record Mirror() implements Mode { }

    /** As such frames in a network service header, of which it counts the index down. */
    public record Nsh() implements Mode { }

    /** A router by the links to it. Its instances have the same addresses, for each has links of its own. */
    public record Routed(Link inside, Link outside) implements Mode {
        /** What a router has unless it is told otherwise. */
        public static final Routed DEFAULT = new Routed(
            new Link(Ipv4.parse("169.254.81.2"), Ipv4.parse("169.254.81.1"), Mac.parse("02:50:53:ff:01:01")),
            new Link(Ipv4.parse("169.254.82.2"), Ipv4.parse("169.254.82.1"), Mac.parse("02:50:53:ff:01:02")));

        /** Both, by the names of their containers. */
        public SortedMap<String, Link> links() {
            return new TreeMap<>(Map.of("routed / inside", inside, "routed / outside", outside));
        }
    }

    /**
     * An Ethernet link, without a tag, between the switch and a port of a router.
     *
     * @param address IPv4 address of the router
     * @param gateway IPv4 address of the switch, which the router sends packets to that go on from there
     * @param mac MAC address of the router
     */
    public record Link(Ipv4 address, Ipv4 gateway, Mac mac) { }

    /**
     * Probes through each instance.
     *
     * @param intervalMillis from one to the next
     * @param lost so many intervals without an answer are a failure
     * @param holdSeconds how long a failed one has to answer before it has connections again
     */
    public record HealthCheck(int intervalMillis, int lost, int holdSeconds) { }

    /** What becomes of the traffic while no instance works. */
    public enum FailPolicy { OPEN, CLOSED }

    /** What an instance is meant to do. */
    public enum State {
        /** It has connections and gets new ones. */
        IN_SERVICE,
        /** It keeps the connections that it has, and gets none. */
        DRAINING,
        /** It has none. */
        OUT_OF_SERVICE
    }

    /** How much of its core an instance gets when others want it, too. */
    public enum Scheduling { IDLE, LOW, NORMAL }

    /**
     * How the node has to start an instance.
     *
     * @param function name in the catalogue of the node
     * @param core number of the core that it uses up, from 0; the catalogue's when absent
     * @param scheduling the catalogue's when absent
     */
    public record Start(String function, Optional<Integer> core, Optional<Scheduling> scheduling) {
        /** The same, but for what is given. */
        public Start with(final Optional<String> otherFunction, final Optional<Integer> otherCore) {
            return new Start(otherFunction.orElse(function), otherCore.or(() -> core), scheduling);
        }
    }

    /**
     * What stands behind two vhost-user ports.
     *
     * @param weight its share of new connections, 1..100, among those of all that are in service
     * @param start how the node starts it; somebody starts it by hand when absent
     */
    public record Instance(String name, State state, int weight, Optional<Start> start) {
        /** One that is started by hand. */
        public Instance(final String name, final State state, final int weight) {
            this(name, state, weight, Optional.empty());
        }

        /** Port on the tenant side. */
        public String insidePort() {
            return name + "-in";
        }

        /** Port on the backbone side. */
        public String outsidePort() {
            return name + "-out";
        }

        /** Second port on the backbone side, of a function with {@link TwoOutputs}. */
        public String secondPort() {
            return name + "-alt";
        }

        /** Those through which probes go, that on the tenant side first. */
        public List<String> sides() {
            return List.of(insidePort(), outsidePort());
        }
    }

    /** The only instance of a function that is not {@link #spread}. */
    public Instance single() {
        return instances.get(0);
    }
}
