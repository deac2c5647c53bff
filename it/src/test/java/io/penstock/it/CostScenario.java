// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.testkit.Wire.Sent;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Traffic whose cost is counted; what it may cost is in {@code cost-budget.txt}. */
enum CostScenario {
    /** The transit router pings the node. */
    NO_TENANT(List.of(), List.of(), Caller::isSilent, List.of(Caller.transitPings())),

    UDP_FIRST_OUT(1, Caller::isSilent, Caller::calls),
    UDP_FIRST_IN(1, Caller::calls, Caller::isAnswered),
    UDP_FIRST_OUT_OF_100_CONNECTIONS(1, Caller::isSilent, caller -> caller.datagrams(100)),
    UDP_SESSION_OUT(1, Caller::talks, Caller::calls),
    UDP_SESSION_IN(1, Caller::talks, Caller::isAnswered),
    /** In a VRF with sessions each connection is a cached flow of its own. */
    UDP_100_BESIDE_A_SESSION(1, Caller::talks, caller -> caller.datagrams(100)),
    TCP_SYN_OUT(1, Caller::isSilent, caller -> caller.handshake().limit(1)),
    TCP_SYN_ACK_IN(1, caller -> caller.handshake().limit(1), caller -> caller.handshake().skip(1).limit(1)),
    /** Of a connection that tracking has not seen begin: nothing is learned from this packet. */
    TCP_MID_STREAM_OUT(1, Caller::isSilent, caller -> Stream.of(caller.acknowledges())),
    TCP_SESSION_OUT(1, Caller::handshake, caller -> Stream.of(caller.acknowledges())),
    TCP_SESSION_IN(1, Caller::handshake, caller -> Stream.of(caller.isAcknowledged())),
    PING_OUT(1, Caller::isSilent, Caller::pings),
    PING_IN(1, Caller::pings, Caller::getsPong),
    ALL_OF_IT(1, Caller::hasSessions, Caller::doesAll),

    BRIDGED(List.of(Networks.campus(Campus.PUBLIC)), List.of(Campus.LEFT, Campus.RIGHT), Caller::isSilent,
        List.of(Campus.LEFT.bridged(Campus.RIGHT))),
    ROUTED(List.of(Networks.campus(Campus.PUBLIC)), List.of(Campus.LEFT, Campus.ROUTER), Caller::isSilent,
        List.of(Campus.LEFT.routed(Campus.ROUTER))),

    CHAIN_UDP_FIRST_OUT(chained(), Caller::isSilent, Caller::calls),
    CHAIN_UDP_FIRST_IN(chained(), Caller::calls, Caller::isAnswered),
    CHAIN_UDP_SESSION_OUT(chained(), Caller::talks, Caller::calls),
    CHAIN_UDP_SESSION_IN(chained(), Caller::talks, Caller::isAnswered),

    /** Costs no lookup more than without twice NAT. */
    TWICE_UDP_FIRST_OUT(Twice.TENANTS, Twice.CALLERS, Caller::isSilent, Twice.does(Caller::calls)),
    TWICE_UDP_FIRST_IN(Twice.TENANTS, Twice.CALLERS, Caller::calls, Twice.does(Caller::isAnswered)),
    TWICE_UDP_SESSION_OUT(Twice.TENANTS, Twice.CALLERS, Caller::talks, Twice.does(Caller::calls)),
    TWICE_UDP_SESSION_IN(Twice.TENANTS, Twice.CALLERS, Caller::talks, Twice.does(Caller::isAnswered)),

    /** The uplink takes less than the tenant's subnet: what it costs that lengths are looked at. */
    NARROW_UDP_FIRST_OUT(1, Caller::isSilent, Caller::calls),
    NARROW_UDP_FIRST_IN(1, Caller::calls, Caller::isAnswered),
    NARROW_UDP_SESSION_OUT(1, Caller::talks, Caller::calls),
    NARROW_UDP_SESSION_IN(1, Caller::talks, Caller::isAnswered),

    /** Nothing may come but answers. */
    GUARDED_UDP_FIRST_OUT(guarded(), Caller::isSilent, Caller::calls),
    GUARDED_UDP_FIRST_IN(guarded(), Caller::calls, Caller::isAnswered),
    GUARDED_UDP_SESSION_OUT(guarded(), Caller::talks, Caller::calls),
    GUARDED_UDP_SESSION_IN(guarded(), Caller::talks, Caller::isAnswered),

    /** Of bandwidth in both directions, and of connections that begin. */
    LIMITED_UDP_FIRST_OUT(limited(), Caller::isSilent, Caller::calls),
    LIMITED_UDP_FIRST_IN(limited(), Caller::calls, Caller::isAnswered),
    LIMITED_UDP_SESSION_OUT(limited(), Caller::talks, Caller::calls),
    LIMITED_UDP_SESSION_IN(limited(), Caller::talks, Caller::isAnswered),

    /** Tracked, and not the first: costs the same with the limit of new connections that each tenant has. */
    UDP_TRACKED_OUT(1, Caller::calls, Caller::calls),
    UNLIMITED_UDP_FIRST_OUT(unlimited(), Caller::isSilent, Caller::calls),
    UNLIMITED_UDP_TRACKED_OUT(unlimited(), Caller::calls, Caller::calls),

    TENANTS_100_UDP_FIRST_OUT(100, Caller::isSilent, Caller::calls),
    TENANTS_100_UDP_SESSION_OUT(100, Caller::talks, Caller::calls),
    TENANTS_100_UDP_SESSION_IN(100, Caller::talks, Caller::isAnswered),
    TENANTS_100_ALL_OF_IT(100, Caller::hasSessions, Caller::doesAll);

    private static final String MANY = "TENANTS_100_";
    private static final String NARROW = "NARROW_";
    private static final int NARROW_MTU = 1400;
    private static final int FIRST_VLAN = 100;

    private final List<Tenant> tenants;
    private final List<Sent> before;
    private final List<Sent> counted;

    /** Hosts of plain tenants. */
    CostScenario(final int count, final Function<Caller, Stream<Sent>> before,
            final Function<Caller, Stream<Sent>> counted) {
        this(IntStream.range(0, count).mapToObj(index -> Networks.plain("t%03d".formatted(index), FIRST_VLAN + index,
            publicAddress(index))).toList(), before, counted);
    }

    /** Hosts of tenants that are made like {@link Networks#plain}. */
    CostScenario(final List<Tenant> tenants, final Function<Caller, Stream<Sent>> before,
            final Function<Caller, Stream<Sent>> counted) {
        this(tenants, callers(tenants.size()), before, callers(tenants.size()).stream().flatMap(counted).toList());
    }

    CostScenario(final List<Tenant> tenants, final List<Caller> callers, final Function<Caller, Stream<Sent>> before,
            final List<Sent> counted) {
        this.tenants = tenants;
        this.before = Stream.of(Stream.of(Caller.transitSpeaks()), callers.stream().map(Caller::speaks),
            callers.stream().flatMap(before)).flatMap(sent -> sent).toList();
        this.counted = counted;
    }

    /** A host that sees the server at another address. */
    private static final class Twice {
        static final List<Tenant> TENANTS = List.of(Networks.seeing(
            Networks.plain("twice", FIRST_VLAN, publicAddress(0)), "10.99.0.0/24", "198.18.0.0/24"));
        static final List<Caller> CALLERS = List.of(callers(1).get(0).seeing("10.99.0.10"));

        static List<Sent> does(final Function<Caller, Stream<Sent>> what) {
            return CALLERS.stream().flatMap(what).toList();
        }
    }

    /** Hosts of {@link Networks#campus}. */
    private static final class Campus {
        static final String PUBLIC = "203.0.113.21";
        static final Caller LEFT = new Caller("acc0", 300, "10.1.0.5", "10.1.0.1", PUBLIC);
        static final Caller RIGHT = new Caller("acc1", 301, "10.1.0.6", "10.1.0.1", PUBLIC);
        static final Caller ROUTER = new Caller("acc1", 302, "10.2.0.9", "10.2.0.1", PUBLIC);
    }

    /** The network without a tenant. */
    static Snapshot nobody(final Path vhostDirectory) {
        return Networks.of(vhostDirectory, List.of(
            new NetworkFunction("one", Networks.NODE, FailPolicy.CLOSED, true),
            new NetworkFunction("two", Networks.NODE, FailPolicy.CLOSED, true)));
    }

    /** The network. */
    Snapshot network(final Path vhostDirectory) {
        final Snapshot network = nobody(vhostDirectory).withTenants(tenants);
        return name().startsWith(NARROW) ? Fixtures.withUplinkMtu(NARROW_MTU, network) : network;
    }

    /** Whether the VRFs have sessions. */
    boolean hasSessions() {
        return name().contains("SESSION") || name().contains("ALL_OF_IT");
    }

    /** How many tenants do the same. */
    int tenants() {
        return tenants.size();
    }

    /** What is sent before, so that the node knows its neighbours and the connections. */
    List<Sent> before() {
        return before;
    }

    /** What is sent and counted. */
    List<Sent> counted() {
        return counted;
    }

    /** The same with one tenant, if there are many. */
    Optional<CostScenario> ofOneTenant() {
        return name().startsWith(MANY) ? Optional.of(valueOf(name().substring(MANY.length()))) : Optional.empty();
    }

    private static List<Caller> callers(final int count) {
        return IntStream.range(0, count).mapToObj(index -> Caller.plain(FIRST_VLAN + index, publicAddress(index)))
            .toList();
    }

    private static String publicAddress(final int index) {
        return "203.0.113." + (index + 1);
    }

    private static List<Tenant> guarded() {
        return List.of(Networks.plain("guarded", FIRST_VLAN, publicAddress(0))
            .with(new Protection(Optional.of(Networks.LIST), true, Quota.NONE)));
    }

    private static List<Tenant> limited() {
        return List.of(Networks.plain("limited", FIRST_VLAN, publicAddress(0))
            .with(new Protection(Optional.empty(), false, new Quota(Optional.empty(), Optional.of(1000),
                Optional.of(1_000_000L), Optional.of(1_000_000L), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty()))));
    }

    private static List<Tenant> unlimited() {
        return List.of(Networks.plain("unlimited", FIRST_VLAN, publicAddress(0))
            .with(new Protection(Optional.empty(), false, Fixtures.UNLIMITED)));
    }

    private static List<Tenant> chained() {
        return List.of(Networks.chained("chained", FIRST_VLAN, publicAddress(0)));
    }
}
