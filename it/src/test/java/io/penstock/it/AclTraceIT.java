// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static io.penstock.it.TracedNode.ESTABLISHED;
import static io.penstock.it.TracedNode.INVALID;
import static io.penstock.it.TracedNode.NEW;
import static io.penstock.it.TracedNode.NOT_VALID;
import static io.penstock.it.TracedNode.RELATED;
import static io.penstock.it.TracedNode.REPLY;
import static io.penstock.it.TracedNode.WORLD;
import static io.penstock.it.TracedNode.fromTransit;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.plan.RandomLists;
import io.penstock.pipeline.plan.RandomLists.Flow;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import io.penstock.testkit.Trace;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists in both directions, with tracking of what they permit. */
class AclTraceIT {
    private static final int VLAN = 900;
    private static final String OWN = "10.0.0.10";
    private static final String OWN_PUBLIC = "198.51.100.10";
    private static final String DENIED_IN = "ACL office-in permits no such packet";
    private static final String DENIED_OUT = "ACL office-out permits no such packet";
    private static final String TRACKED = "connection of a permitted packet";
    private static final int PACKETS = 25;

    private static TracedNode node;

    @BeforeAll
    static void start() {
        node = new TracedNode(Fixtures.plan(Fixtures.network(Fixtures.guarded())));
        node.learn(VLAN, "10.0.0.1", OWN);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Packet fromHost() {
        return Packet.in("acc0", VLAN).toGateway();
    }

    /** From the world to the host with a public address of its own. */
    private static Packet toHost(final String transport) {
        return fromTransit().with("tcp,nw_src=" + WORLD + ",nw_dst=" + OWN_PUBLIC + ",nw_ttl=64," + transport);
    }

    private static Packet fragmentOut(final String which) {
        return fromHost().with("udp,nw_src=" + OWN + ",nw_dst=" + WORLD + ",nw_ttl=64,ip_frag=" + which);
    }

    @Test
    void whatIsPermittedIsTracked() {
        node.assertThat(fromHost().tcp(OWN, WORLD, 80), NEW).meets(Table.TENANT_ACL, "ACL office-out entry web permit")
            .meets(Table.TENANT_ACL_TRACK, TRACKED).does("ct(commit,zone=32770)").leavesBy("up0");
        node.assertThat(fromTransit().ping(WORLD, OWN_PUBLIC), NEW)
            .meets(Table.TENANT_ACL_IN, "ACL office-in entry ping permit").meets(Table.TENANT_ACL_IN_TRACK, TRACKED)
            .does("ct(commit,zone=32770)").endsWith("nw_dst=" + OWN).leavesBy("acc0");
    }

    @ParameterizedTest
    @ValueSource(strings = {NEW, ESTABLISHED})
    void whatIsNotIsDropped(final String state) {
        node.assertThat(fromHost().tcp(OWN, WORLD, 22), state).meets(Table.TENANT_ACL, DENIED_OUT)
            .isDroppedBy(Table.TENANT_ACL_REPLY, DENIED_OUT);
        node.assertThat(toHost("tcp_src=80,tcp_dst=40000"), state).meets(Table.TENANT_ACL_IN, DENIED_IN)
            .isDroppedBy(Table.TENANT_ACL_IN_REPLY, DENIED_IN);
    }

    @Test
    void whatConntrackCallsInvalidIsDropped() {
        node.assertThat(fromHost().tcp(OWN, WORLD, 22), INVALID).isDroppedBy(Table.TRACKED, NOT_VALID);
        node.assertThat(toHost("tcp_src=80,tcp_dst=40000"), INVALID).isDroppedBy(Table.TRACKED, NOT_VALID);
    }

    @Test
    void answersPassAsLongAsWhatTheyAnswerIsPermitted() {
        node.assertThat(toHost("tcp_src=80,tcp_dst=40000"), REPLY)
            .meets(Table.TENANT_ACL_IN_REPLY, "ACL office-out entry web permit, replies").leavesBy("acc0");
        node.assertThat(toHost("tcp_src=22,tcp_dst=40000"), REPLY)
            .isDroppedBy(Table.TENANT_ACL_IN_REPLY, DENIED_IN);
        node.assertThat(toHost("tcp_src=25,tcp_dst=40000"), REPLY)
            .isDroppedBy(Table.TENANT_ACL_IN_REPLY, "ACL office-out entry no-mail drop, replies");
        node.assertThat(fromHost().with("icmp,nw_src=" + OWN + ",nw_dst=" + WORLD
            + ",nw_ttl=64,icmp_type=0,icmp_code=0"), REPLY)
            .meets(Table.TENANT_ACL_REPLY, "ACL office-in entry ping permit, replies").leavesBy("up0");
    }

    @Test
    void errorsPass() {
        final String error = "icmp,nw_src=" + WORLD + ",nw_dst=" + OWN_PUBLIC + ",nw_ttl=64,icmp_type=3,icmp_code=1";
        node.assertThat(fromTransit().with(error), RELATED)
            .meets(Table.TENANT_ACL_IN_REPLY, "error for a known connection").leavesBy("acc0");
        node.assertThat(fromTransit().with(error), INVALID).isDroppedBy(Table.TRACKED, NOT_VALID);
    }

    @Test
    void entriesWithPortsAreNotAboutFragments() {
        for (final String fragment : new String[] {"first,udp_src=40000,udp_dst=53", "later"}) {
            node.assertThat(fragmentOut(fragment), NEW).isDroppedBy(Table.TENANT_ACL_REPLY, DENIED_OUT);
            node.assertThat(fragmentOut(fragment), ESTABLISHED).isDroppedBy(Table.TENANT_ACL_REPLY, DENIED_OUT);
            node.assertThat(fragmentOut(fragment), REPLY, NEW).meets(Table.TENANT_ACL_REPLY, "fragment of a reply")
                .leavesBy("up0");
        }
    }

    /** The switch shows them as ones to port 0, or of ICMP type 0. */
    @Test
    void norAreThoseWithPortZero() {
        final Acl zero = new Acl("zero", List.of(
            new Acl.Entry("low", true, Matches.to(17, 0, 1023), List.of()),
            new Acl.Entry("pong", true, Matches.icmp(0), List.of())));
        try (TracedNode other = new TracedNode(Fixtures.plan(network(zero, zero)))) {
            for (final String kind : new String[] {"udp", "icmp"}) {
                for (final String which : new String[] {"first", "later"}) {
                    other.assertThat(fromHost().with(kind + ",nw_src=10.0.0.2,nw_dst=" + WORLD
                        + ",nw_ttl=64,ip_frag=" + which), NEW)
                        .isDroppedBy(Table.TENANT_ACL_REPLY, "ACL zero permits no such packet");
                }
            }
            other.assertThat(fromHost().with("udp,nw_src=10.0.0.2,nw_dst=" + WORLD
                + ",nw_ttl=64,udp_src=1,udp_dst=0"), NEW).meets(Table.TENANT_ACL, "ACL zero entry low permit");
        }
    }

    @ParameterizedTest
    @CsvSource({"office-out,", ", office-in"})
    void oneListIsEnough(final String out, final String in) {
        try (TracedNode other = new TracedNode(Fixtures.plan(Fixtures.network(
                Fixtures.guarded(Optional.ofNullable(out), Optional.ofNullable(in), true))))) {
            other.learn(VLAN, "10.0.0.1", OWN);
            if (in == null) {
                other.assertThat(toHost("tcp_src=1,tcp_dst=1"), NEW).meets(Table.TENANT_ACL_IN_TRACK, TRACKED)
                    .leavesBy("acc0");
                other.assertThat(fromHost().tcp(OWN, WORLD, 22), REPLY).meets(Table.TENANT_ACL_REPLY, "reply")
                    .leavesBy("up0");
                other.assertThat(fromHost().tcp(OWN, WORLD, 22), NEW).isDroppedBy(Table.TENANT_ACL_REPLY, DENIED_OUT);
            } else {
                other.assertThat(fromHost().tcp(OWN, WORLD, 22), NEW).meets(Table.TENANT_ACL_TRACK, TRACKED)
                    .leavesBy("up0");
                other.assertThat(toHost("tcp_src=22,tcp_dst=1"), REPLY).meets(Table.TENANT_ACL_IN_REPLY, "reply")
                    .leavesBy("acc0");
                other.assertThat(toHost("tcp_src=22,tcp_dst=1"), NEW)
                    .isDroppedBy(Table.TENANT_ACL_IN_REPLY, DENIED_IN);
            }
        }
    }

    @Test
    void withoutTrackingEachDirectionNeedsItsEntry() {
        try (TracedNode chained = new TracedNode(Fixtures.plan(Fixtures.network(Fixtures.guardedChained())))) {
            final Packet back = Packet.in("fw-in", 2).ethernet("02:50:53:ff:00:01", "02:50:53:ff:00:02");
            chained.assertThat(back.tcp(WORLD, "10.0.0.20", 80)).isDroppedBy(Table.TENANT_ACL_IN, DENIED_IN);
            chained.assertThat(back.tcp(WORLD, "10.0.0.20", 8080))
                .meets(Table.TENANT_ACL_IN, "ACL office-in entry web permit").avoids(Table.TENANT_ACL_IN_TRACK)
                .meets(Table.VRF_ROUTE, "connected lan");
        }
    }

    /** Conjunctions too: a switch says of packets what the list says when it is read entry by entry. */
    @RepeatedTest(6)
    void theSwitchDecidesAsTheListDoes(final RepetitionInfo repetition) {
        final RandomLists random = new RandomLists(2000 + repetition.getCurrentRepetition());
        final Acl out = random.list("out");
        final Acl in = random.list("in");
        try (TracedNode guarded = new TracedNode(Fixtures.plan(network(out, in)))) {
            for (int count = 0; count < PACKETS; count++) {
                final Flow packet = random.packet();
                final boolean permit = RandomLists.permits(out, packet);
                final Trace way = guarded.trace(fromHost().with(packet.text()), NEW);
                assertThat(comesTo(way, Table.TENANT_ACL_TRACK)).as("%s by %s\n%s", packet.text(), out, way.text())
                    .isEqualTo(permit);
                if (packet.protocol() != 1 || packet.sourcePort() == 8) {
                    final Flow answer = packet.answer();
                    final Trace back = guarded.trace(fromTransit().with(new Flow(answer.source(),
                        Ipv4.parse("198.51.100.0").plus(answer.destination().minus(Ipv4.parse("10.0.0.0"))),
                        answer.protocol(),
                        answer.sourcePort(), answer.destinationPort()).text()), REPLY);
                    assertThat(comesTo(back, Table.VRF_ROUTE)).as("answer to %s by %s and %s\n%s", packet.text(), out,
                        in, back.text()).isEqualTo(permit || RandomLists.permits(in, answer));
                }
            }
        }
    }

    private static boolean comesTo(final Trace trace, final Table table) {
        return trace.steps().stream().anyMatch(step -> step.table() == table);
    }

    private static Snapshot network(final Acl out, final Acl in) {
        final Tenant plain = Fixtures.tenant("any", VLAN);
        final Snapshot network = Fixtures.network(new Tenant(plain.name(), plain.attachments(), plain.subnets(),
            plain.routes(), Optional.of(Fixtures.mapped(new Tenant.OneToOne(Prefix.parse("10.0.0.0/29"),
                Prefix.parse("198.51.100.0/29")))), Optional.of(out.name()), Optional.empty())
            .with(new Protection(Optional.of(in.name()), true, Quota.NONE)));
        return Snapshot.of(List.copyOf(network.nodes().values()), network.backbone(),
            List.copyOf(network.pools().values()), List.copyOf(network.functions().values()),
            List.copyOf(network.chains().values()), List.copyOf(network.tenants().values()),
            List.of(network.acls().get("keep-out"), out, in));
    }
}
