// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.plan.Chained;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.RandomLists;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.ChainTrace.Hop;
import io.penstock.pipeline.stage.ChainTrace.Reason;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChainTraceTest {
    private static final String HOST = "10.1.0.20";
    private static final String WORLD = "198.18.0.10";

    private static NodeView view(final Snapshot snapshot, final String... down) {
        return Fixtures.view(snapshot, Set.of(down));
    }

    private static ChainTrace trace(final NodeView node, final FiveTuple packet, final BigInteger... label) {
        return ChainTrace.of(node, node.snapshot().tenants().get("rich"), packet, Stream.of(label).findFirst());
    }

    private static FiveTuple tcp(final int sourcePort, final int service) {
        return FiveTuple.parse(HOST, WORLD, "tcp", sourcePort, service);
    }

    private static List<String> instances(final ChainTrace.Way way) {
        return way.hops().stream().map(hop -> hop.function() + " " + hop.instance().orElse("-")).toList();
    }

    @Test
    void anAnswerPassesTheSameFunctionsTheOtherWayRound() {
        final ChainTrace trace = trace(view(Chained.ruled()), tcp(40_000, 443));
        assertThat(trace.outbound().hops()).containsExactly(
            new Hop("fw", Optional.of("fw"), Reason.ONLY, "fw-in", "fw-out"),
            new Hop("tap", Optional.of("tap"), Reason.ONLY, "tap-in", "tap-out"));
        assertThat(trace.inbound().hops()).containsExactly(
            new Hop("tap", Optional.of("tap"), Reason.ONLY, "tap-out", "tap-in"),
            new Hop("fw", Optional.of("fw"), Reason.ONLY, "fw-out", "fw-in"));
        assertThat(trace.outbound().rule()).isEmpty();
    }

    @Test
    void aConnectionThatHasLeftByTheSecondOutputIsInTheBranch() {
        final NodeView node = view(Chained.branched());
        assertThat(instances(trace(node, tcp(40_000, 443)).outbound())).containsExactly("fw fw", "tap tap");
        final TenantView view = node.view(node.snapshot().tenants().get("rich"));
        final BigInteger label = BigInteger.valueOf(node.port("fw-alt")).shiftLeft(
            KeptInstances.label(view.places().get("fw")).low());
        final ChainTrace branched = trace(node, tcp(40_000, 443), label);
        assertThat(branched.outbound().hops()).containsExactly(
            new Hop("fw", Optional.of("fw"), Reason.KEEPS, "fw-in", "fw-alt"),
            new Hop("watch", Optional.of("watch"), Reason.COPY, "watch-in", ""),
            new Hop("scrub", Optional.of("scrub"), Reason.ONLY, "scrub-in", "scrub-out"));
        assertThat(branched.inbound().hops()).containsExactly(
            new Hop("scrub", Optional.of("scrub"), Reason.ONLY, "scrub-out", "scrub-in"),
            new Hop("watch", Optional.of("watch"), Reason.COPY, "watch-out", ""),
            new Hop("fw", Optional.of("fw"), Reason.KEEPS, "fw-alt", "fw-in"));
        final ChainTrace stopped = trace(view(Chained.branched(), "scrub"), tcp(40_000, 443), label);
        assertThat(stopped.outbound().hops()).containsExactly(
            new Hop("fw", Optional.of("fw"), Reason.KEEPS, "fw-in", "fw-alt"),
            new Hop("scrub", Optional.empty(), Reason.STOPPED, "", ""));
        assertThat(stopped.inbound().hops()).containsExactly(
            new Hop("scrub", Optional.empty(), Reason.STOPPED, "", ""));
        final Snapshot closed = Chained.branched().withFunctions(Chained.branched().functions().values().stream()
            .map(function -> !function.name().equals("tap") ? function : new NetworkFunction("tap", "edge1",
                NetworkFunction.FailPolicy.CLOSED, true)).toList());
        assertThat(trace(view(closed, "tap"), tcp(40_000, 443), label).outbound().hops()).as("no packet enters it")
            .containsExactly(new Hop("tap", Optional.empty(), Reason.STOPPED, "", ""));
        assertThat(instances(trace(node, tcp(40_000, 80), label).outbound())).as("a chain without a branch")
            .containsExactly("tap tap", "fw fw");
    }

    @Test
    void rulesSayWhichChain() {
        final NodeView node = view(Chained.ruled());
        final ChainTrace web = trace(node, tcp(40_000, 80));
        assertThat(web.outbound().rule()).contains("web");
        assertThat(web.outbound().chain()).contains("web");
        assertThat(instances(web.outbound())).containsExactly("tap tap", "fw fw");
        assertThat(instances(web.inbound())).containsExactly("fw fw", "tap tap");
        final ChainTrace mail = trace(node, FiveTuple.parse(HOST, "192.0.2.25", "tcp", 40_000, 25));
        assertThat(mail.outbound().rule()).contains("mail");
        assertThat(mail.outbound().chain()).isEmpty();
        assertThat(mail.inbound().hops()).isEmpty();
        // The rule is of one direction, so the answer passes the tenant's own chain.
        final ChainTrace ntp = trace(node, FiveTuple.parse(HOST, WORLD, "udp", 40_000, 123));
        assertThat(ntp.outbound().rule()).contains("one-way");
        assertThat(ntp.inbound().rule()).isEmpty();
        assertThat(instances(ntp.inbound())).containsExactly("tap tap", "fw fw");
    }

    @Test
    void whatIsDownIsBypassedOrStops() {
        final ChainTrace open = trace(view(Chained.ruled(), "tap"), tcp(40_000, 443));
        assertThat(open.outbound().hops()).extracting(Hop::reason).containsExactly(Reason.ONLY, Reason.BYPASSED);
        assertThat(open.outbound().isStopped()).isFalse();
        final ChainTrace closed = trace(view(Chained.ruled(), "fw"), tcp(40_000, 443));
        assertThat(closed.outbound().hops())
            .containsExactly(new Hop("fw", Optional.empty(), Reason.STOPPED, "", ""));
        assertThat(closed.outbound().isStopped()).isTrue();
        assertThat(closed.inbound().isStopped()).isTrue();
    }

    @Test
    void aMirrorGetsACopyAndGivesNothingBack() {
        assertThat(trace(view(Chained.mirrored()), tcp(40_000, 443)).inbound().hops()).containsExactly(
            new Hop("tap", Optional.of("tap"), Reason.COPY, "tap-out", ""),
            new Hop("fw", Optional.of("fw"), Reason.ONLY, "fw-out", "fw-in"));
    }

    @Test
    void aConnectionKeepsItsInstanceWhileThatWorks() {
        final NodeView node = view(Chained.spread());
        final int place = node.view(node.snapshot().tenants().get("rich")).places().get("fw");
        final BigInteger drained = BigInteger.valueOf(node.port("fw0-in")).shiftLeft(16 * place);
        for (int port = 40_000; port < 40_128; port++) {
            final ChainTrace known = trace(node, tcp(port, 443), drained);
            assertThat(known.outbound().hops().get(0).instance()).contains("fw0");
            assertThat(known.outbound().hops().get(0).reason()).isEqualTo(Reason.KEEPS);
            final ChainTrace moved = trace(view(Chained.spread(), "fw0"), tcp(port, 443), drained);
            assertThat(moved).isEqualTo(trace(view(Chained.spread(), "fw0"), tcp(port, 443)));
            assertThat(moved.outbound().hops().get(0).reason()).isEqualTo(Reason.SHARE);
            final Hop back = moved.inbound().hops().get(1);
            assertThat(back.reason()).isEqualTo(Reason.KEEPS);
            assertThat(back.instance()).isEqualTo(moved.outbound().hops().get(0).instance());
        }
    }

    /** The flows of the plan are read, not how they were made. */
    @ParameterizedTest
    @ValueSource(strings = {"", "fw1", "fw2"})
    void theInstanceIsThatOfThePlannedFlows(final String down) {
        final Snapshot snapshot = Chained.spread();
        final NodeView node = view(snapshot, down);
        final NodePlan plan = Fixtures.plan(snapshot, Set.of(down));
        final Action.Move bits = plan.nodeFlows().stream()
            .filter(planned -> planned.label().equals("new, by TCP port")).findFirst().orElseThrow()
            .flow().actions().stream().filter(Action.Move.class::isInstance).map(Action.Move.class::cast)
            .findFirst().orElseThrow();
        for (int port = 0; port <= 0xffff; port += 3) {
            final long bucket = (port & bits.source().mask()) >>> bits.source().low();
            assertThat(picked(plan, bucket)).isEqualTo(
                node.port(trace(node, tcp(port, 443)).outbound().hops().get(0).portTo()));
        }
    }

    private static long picked(final NodePlan plan, final long bucket) {
        final FieldMatch match = Register.BUCKET.is(bucket);
        return plan.nodeFlows().stream().map(PlannedFlow::flow).filter(flow -> flow.table() == Table.CHAIN_PICK)
            .filter(flow -> flow.matches().stream().anyMatch(each -> each.field() == match.field()
                && (each.mask() & match.mask()) == match.mask() && (each.value() & match.mask()) == match.value()))
            .flatMap(flow -> flow.actions().stream()).filter(Action.Load.class::isInstance)
            .map(Action.Load.class::cast).filter(load -> load.target().equals(Register.INSTANCE.range()))
            .mapToLong(Action.Load::value).findFirst().orElseThrow();
    }

    /** Entries mean to a trace what the simple reading of a list says. */
    @Test
    void entriesMatchAsListsDo() {
        final RandomLists random = new RandomLists(7);
        for (int round = 0; round < 300; round++) {
            final Acl list = random.list("any");
            final RandomLists.Flow flow = random.packet();
            final FiveTuple packet = new FiveTuple(IpFamily.IPV4,
                new Ipv6(0, flow.source().number()),
                new Ipv6(0, flow.destination().number()), flow.protocol(), flow.sourcePort(),
                flow.destinationPort());
            assertThat(list.entries().stream().filter(entry -> entry.match().isAbout(packet)).findFirst()
                .map(Acl.Entry::permit).orElse(false)).isEqualTo(RandomLists.permits(list, flow));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 198.18.0.10, tcp, 1, 1, source-address: 192.0.2.1 is in no subnet",
        "10.1.0.20, 10.2.0.30, tcp, 1, 1, destination-address: 10.2.0.30 is inside the VRF",
        "10.1.0, 198.18.0.10, tcp, 1, 1, source-address: ",
        "10.1.0.20, example.org, tcp, 1, 1, destination-address: ",
        "10.1.0.20, 2001:db8::1, tcp, 1, 1, destination-address: ",
        "2001:db8::1, 2001:db8::2, tcp, 1, 1, source-address: tenant rich has no route",
        "10.1.0.20, 198.18.0.10, gre, 1, 1, protocol: 'gre' is none of",
        "10.1.0.20, 198.18.0.10, tcp, 65536, 1, source-port: 65536",
        "10.1.0.20, 198.18.0.10, tcp, 1, -1, destination-port: -1",
        "10.1.0.20, 198.18.0.10, icmp, 0, 1, destination-port: icmp has no ports"})
    void mistakesAreNamed(final String source, final String destination, final String protocol, final int sourcePort,
            final int destinationPort, final String problem) {
        assertThatThrownBy(() -> trace(view(Chained.ruled()),
            FiveTuple.parse(source, destination, protocol, sourcePort, destinationPort)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith(problem);
    }
}
