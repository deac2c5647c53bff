// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every other change waits while one is judged, so the largest configuration that is judged has to be judged soon: how
 * soon is for the tests with the tag deep.
 */
@Timeout(720)
class SizeRulesTest {
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final int MANY = 4096;
    private static final int HUGE = 100_000;
    private static final Tenant PLAIN = Fixtures.tenant("t", 100);

    private static <T> List<T> list(final int count, final IntFunction<T> make) {
        return IntStream.range(0, count).mapToObj(make).toList();
    }

    private static Prefix prefix(final String start, final int number, final int length) {
        return new Prefix(Ipv4.parse(start).plus((long) number << 32 - length), length);
    }

    private static Tenant subnet(final List<String> attachments) {
        return new Tenant("t", PLAIN.attachments(), List.of(new Tenant.Subnet("lan", Prefix.parse("10.0.0.0/24"),
            Ipv4.parse("10.0.0.1"), attachments)), List.of(), PLAIN.nat(), Optional.empty(), Optional.empty());
    }

    private static Snapshot network(final List<Node> nodes, final List<Chain> chains, final List<Tenant> tenants,
            final List<Acl> acls) {
        return Snapshot.of(nodes, Backbone.NONE, List.of(), List.of(), chains, tenants, acls);
    }

    private static Acl.Entry entry(final int number) {
        return new Acl.Entry("e" + number, true, Matches.ANY, List.of("matches/eth"));
    }

    private static List<Violation> judged(final Snapshot snapshot) {
        return Validator.validate(snapshot, Allocations.none());
    }

    /** Validates within the limit, by the time of the processor that the thread got: a busy machine gives it less. */
    private static List<Violation> judgedSoon(final Snapshot snapshot) {
        final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        final long begun = threads.getCurrentThreadCpuTime();
        final List<Violation> violations = judged(snapshot);
        assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - begun)).isLessThan(SOON);
        return violations;
    }

    static Stream<Arguments> tooLong() {
        final Acl none = new Acl("a", List.of());
        return Stream.of(
            Arguments.of(Fixtures.network(subnet(list(HUGE, number -> "a" + number))),
                "tenant t: subnet lan / attachment: 100000 attachments are more than 256"),
            Arguments.of(network(List.of(new Node("n", "/v", list(HUGE, number -> new Node.Port("p" + number,
                Node.Role.ACCESS, Node.PortType.SYSTEM, "")))), List.of(), List.of(), List.of()),
                "node n: port: 100000 ports are more than 4096"),
            Arguments.of(network(List.of(), List.of(new Chain("c", list(HUGE, number -> "f" + number))), List.of(),
                List.of()), "chain c: function: 100000 functions are more than 8"),
            Arguments.of(Fixtures.network().withFunctions(List.of(new NetworkFunction("f", "edge1",
                NetworkFunction.FailPolicy.CLOSED, true).spread(list(HUGE, number -> new NetworkFunction.Instance(
                    "i" + number, NetworkFunction.State.IN_SERVICE, 1)).toArray(NetworkFunction.Instance[]::new)))),
                "function f: instance: 100000 instances are more than 64"),
            Arguments.of(network(List.of(), List.of(), List.of(), list(HUGE, number -> new Acl("a" + number,
                none.entries()))), "acls: acl: 100000 lists are more than 16384"),
            Arguments.of(network(List.of(), List.of(), list(HUGE + 1, number -> new Tenant("t" + number, List.of(),
                List.of(), List.of(), Optional.empty(), Optional.empty(), Optional.empty())), List.of()),
                "network: tenant: 100001 tenants are more than 100000"),
            Arguments.of(network(List.of(), List.of(), List.of(), List.of(new Acl("a", list(HUGE,
                SizeRulesTest::entry)))), "acl a: aces: more than 50000 entries"));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("tooLong")
    void aListThatIsTooLongIsNamedAndNothingElse(final Snapshot snapshot, final String violation) {
        assertThat(judged(snapshot)).extracting(Violation::toString).containsExactly(violation);
    }

    static Stream<Snapshot> large() {
        return Stream.concat(tooLong().map(arguments -> (Snapshot) arguments.get()[0]), Stream.of(
            "10.0.0.0/8", "10.%d.%d.0/24").map(prefix -> Fixtures.network(new Tenant("t", PLAIN.attachments(),
                list(HUGE, number -> new Tenant.Subnet("s" + number, Prefix.parse(prefix.formatted(
                    number >> 8 & 0xff, number & 0xff)), Ipv4.parse("10.0.0.1"), List.of())), List.of(), PLAIN.nat(),
                Optional.empty(), Optional.empty()))));
    }

    @Tag("deep")
    @Tag("scale")
    @ParameterizedTest
    @MethodSource("large")
    void aListThatIsTooLongIsJudgedSoon(final Snapshot snapshot) {
        assertThat(judgedSoon(snapshot)).hasSize(1);
    }

    @Test
    void theLargestTenantIsJudged() {
        // Only routes to the first half are there.
        assertThat(judged(largestTenant())).allSatisfy(violation -> assertThat(violation.rule()).isEqualTo(
            "is not in a subnet or route of the tenant"));
    }

    @Tag("deep")
    @Tag("scale")
    @Test
    void theLargestTenantIsJudgedSoon() {
        assertThat(judgedSoon(largestTenant())).isEqualTo(judged(largestTenant()));
    }

    private static Snapshot largestTenant() {
        final List<Route> routes =
            list(MANY, number -> new Route(prefix("172.16.0.0", number, 28), Ipv4.parse("10.0.0.2")));
        final Tenant.Nat nat = new Tenant.Nat(Optional.of(Ipv4.parse("198.51.100.1")), Optional.empty(),
            list(MANY, number -> new Tenant.OneToOne(prefix("172.16.0.0", number, 28), prefix("60.0.0.0", number, 28))),
            List.of(), list(MANY, number -> new Tenant.PortBlocks(prefix("172.17.0.0", number, 28),
                prefix("61.0.0.0", number, 28), 512, 4, false, List.of(), Optional.empty(), false)),
            list(MANY, number -> new Tenant.PortForward("f" + number, 6, 1 + number, Ipv4.parse("10.0.0.5"), 80)),
            Set.of(), List.of());
        final Tenant tenant = new Tenant("t", PLAIN.attachments(), PLAIN.subnets(), routes, Optional.of(nat),
            Optional.empty(), Optional.empty());
        return Fixtures.network(tenant);
    }

    @Test
    void violationsOfAllEntriesTakeNoMemory() {
        final List<Acl> acls = new ArrayList<>(list(40, number -> new Acl("a" + number, list(40_000,
            SizeRulesTest::entry))));
        assertThat(Validator.validate(network(List.of(), List.of(), List.of(), acls), Allocations.none()))
            .hasSize(Violation.MOST);
    }
}
