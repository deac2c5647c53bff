// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import static io.penstock.diagnosis.DiagnosisTest.ask;
import static io.penstock.diagnosis.DiagnosisTest.fault;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.diagnosis.Facts.Service;
import io.penstock.operations.WhyReport;
import io.penstock.operations.WhyReport.Verdict;
import io.penstock.operations.WhyReport.WhyStep;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Connections from external hosts. */
class InboundTest {
    /** Of the tenant itself, as the allocator gives it. */
    private static final String PUBLIC = "203.0.113.0";
    private static final String PAIRED = "203.0.113.6";
    private static final String[] WEB = {World.SERVER, PUBLIC, "80"};

    /** Port 80 leads to port 8080 of the host, 203.0.113.6 to the host, and 203.0.113.7 to one that is silent. */
    private static World world() {
        final World world = new World();
        world.translates(Optional.of(new Tenant.Nat(Optional.empty(), Optional.of("public"),
            List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.5/32"), Prefix.parse(PAIRED + "/32")),
                new Tenant.OneToOne(Prefix.parse("10.0.0.9/32"), Prefix.parse("203.0.113.7/32"))),
            List.of(new Tenant.PortForward("web", 6, 80, Ipv4.parse(World.HOST), 8080)))));
        return world;
    }

    static Stream<Arguments> faults() {
        return Stream.of(
            fault(Cause.NOT_PUBLISHED, ask(World.SERVER, PUBLIC, "443"), world -> { },
                "203.0.113.0 is the public address of tenant acme, and no port forward is for TCP port 443; those of "
                    + "the tenant are web (TCP port 80)."),
            fault(Cause.NOT_PUBLISHED, ask(World.SERVER, PUBLIC), world -> { },
                "203.0.113.0 is the public address of tenant acme, and no port forward is for ping; those of the "
                    + "tenant are web (TCP port 80)."),
            fault(Cause.NOT_PUBLISHED, ask(World.SERVER, "203.0.113.200", "80"), world -> { },
                "No port forward, no one-to-one entry and no IPv6 subnet of tenant acme has the address "
                    + "203.0.113.200; its public address is 203.0.113.0."),
            fault(Cause.NOT_PUBLISHED, WEB, World::hasNoAddress,
                "No port forward, no one-to-one entry and no IPv6 subnet of tenant acme has the address 203.0.113.0."),
            fault(Cause.NOT_PUBLISHED, WEB, world -> world.translates(Optional.empty()),
                "No port forward, no one-to-one entry and no IPv6 subnet of tenant acme has the address 203.0.113.0."),
            fault(Cause.NODE_AWAY, WEB, world -> world.serves(Service.AWAY, ""),
                "Node edge1 is not connected to the controller, so nothing is known of its ports, hosts and drops; its "
                    + "switch forwards packets as it was told before."),
            fault(Cause.HOST_SILENT, ask(World.SERVER, "203.0.113.7"), world -> { },
                "No ARP of host 10.0.0.9 was accepted at attachment lan in the last 20 minutes."),
            fault(Cause.LIST_DENIES, WEB, world -> {
                world.permits("inward", 80);
                world.ingress("inward", true);
            }, "List inward of tenant acme drops packets from 198.51.100.10 to 10.0.0.5, TCP port 8080: no entry "
                + "permits them."),
            fault(Cause.LIST_DENIES_REPLY, WEB, world -> {
                world.permits("office", 443);
                world.egress("office");
            }, "List office of tenant acme drops the replies, from 10.0.0.5 to 198.51.100.10, TCP port 49152: no entry "
                + "permits them."),
            fault(Cause.FUNCTION_DOWN, WEB, world -> world.chained(FailPolicy.CLOSED, "has no link"),
                "Function fw is down (fw has no link), and its fail policy is closed, so packets of its chains are "
                    + "dropped."),
            fault(Cause.PORT_DOWN, WEB, world -> world.portDown("up0"), "Uplink up0 of node edge1 has no link."),
            fault(Cause.NO_BACKBONE_ROUTE, WEB, world -> world.backboneRoute("192.88.0.0/16"),
                "The backbone has no route to 198.51.100.10."),
            fault(Cause.GATEWAY_SILENT, WEB, World::gatewaySilent,
                "Transit gateway 192.0.2.1 does not answer ARP on uplink up0 of node edge1, so packets to it are "
                    + "lost."),
            fault(Cause.BACKBONE_LIST_DENIES, WEB, world -> {
                world.permits("border", 25);
                world.uplinkList("border");
            }, "List border of uplink up0 drops packets from 203.0.113.0 to 198.51.100.10, TCP port 49152: no entry "
                + "permits them."));
    }

    @ParameterizedTest(name = "{0}: {3}")
    @MethodSource("faults")
    void namesTheReason(final Cause cause, final String[] question, final Consumer<World> broken, final String answer) {
        final World world = world();
        broken.accept(world);
        final WhyReport report = world.whyInbound(question);
        assertThat(report.answer()).isEqualTo(answer);
        assertThat(report.cause()).isEqualTo(cause.text());
        assertThat(report.remedy()).isNotEmpty();
    }

    @Test
    void whereAllIsWellEachStepPasses() {
        final World world = world();
        world.chained(FailPolicy.CLOSED);
        final WhyReport report = world.whyInbound(WEB);
        assertThat(report.cause()).isEqualTo("none");
        assertThat(report.steps()).extracting(WhyStep::verdict).containsOnly(Verdict.PASSES);
        assertThat(report.steps()).extracting(WhyStep::text).startsWith(
            "Port forward web leads from 203.0.113.0, TCP port 80, to 10.0.0.5, port 8080.").contains(
            "The switch of node edge1 has learned 02:00:00:00:00:05 at attachment lan 35 s ago.",
            "The packet passes fw (fw) of chain inspected.",
            "Next hop 192.0.2.1 is known to the switch, by uplink up0.");
        assertThat(world.whyInbound(World.SERVER, PAIRED, "22").steps().get(0).text()).isEqualTo(
            "The one-to-one entry of 203.0.113.6/32 leads from 203.0.113.6, TCP port 22, to 10.0.0.5, port 22.");
        assertThat(world.whyInbound(World.SERVER, PAIRED).steps().get(0).text())
            .isEqualTo("The one-to-one entry of 203.0.113.6/32 leads from 203.0.113.6 to 10.0.0.5.");
    }

    /** The list is about the addresses inside: an entry for the public port alone lets nothing in. */
    @Test
    void aStatefulListLetsRepliesOut() {
        final World world = world();
        world.permits("inward", 8080);
        world.ingress("inward", true);
        world.egress("none-such");
        assertThat(world.whyInbound(WEB).cause()).isEqualTo("none");
    }

    @Test
    void whatWillNotDoIsNamed() {
        final World world = world();
        for (final String[] each : List.of(ask("-", "x", "host: '-' is no IP address"),
                ask("lan", "x", "host: 'lan' is no IP address"),
                ask(World.SERVER, "example.org", "destination: 'example.org' is no IP address"),
                ask(World.SERVER, "2001:db8::1", "destination: 2001:db8::1 is of another family than host "
                    + "198.51.100.10"),
                ask("10.0.0.9", PUBLIC, "host: 10.0.0.9 is inside the VRF of tenant acme; an inbound question needs "
                    + "an external host"))) {
            assertThatThrownBy(() -> world.whyInbound(each[0], each[1])).isInstanceOf(IllegalArgumentException.class)
                .hasMessage(each[2]);
        }
        assertThatThrownBy(() -> world.whyInbound(World.SERVER))
            .hasMessage("destination: is missing; an inbound question needs it");
        assertThatThrownBy(world::whyInbound).hasMessage("host: is missing; an inbound question needs it");
    }
}
