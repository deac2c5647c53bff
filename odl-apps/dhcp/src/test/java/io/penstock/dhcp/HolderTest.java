// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static io.penstock.dhcp.TestMessage.discover;
import static io.penstock.dhcp.TestMessage.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dhcp.Answer.Nothing;
import io.penstock.dhcp.Answer.Reason;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A host has a lease at "lan", and another one at "wing" has its MAC address, its client identifier, or both. */
@Tag("hostile")
@Tag("safety")
class HolderTest {
    private static final Mac A = new Mac(0x02000000000aL);
    private static final Mac B = new Mac(0x02000000000bL);
    private static final String SERVER = "10.0.1.1";
    private static final String ADDRESS = "10.0.1.10";
    private static final String IDENTIFIER = "0102000000000a";

    private final Network network = new Network();
    private Lease held;

    @BeforeEach
    void bind() {
        assertThat(network.bind(A)).isEqualTo(ADDRESS);
        held = network.lease(ADDRESS);
        network.now += 60;
    }

    /** Every request by which another host may want what the first one has. */
    static List<TestMessage> claims() {
        return List.of(
            request(A).wants(ADDRESS).from("wing"),
            request(A).server(SERVER).wants(ADDRESS).from("wing"),
            request(A).has(ADDRESS).from("wing"),
            request(A).has(ADDRESS).to(SERVER).from("wing"),
            // Any other address, as the lease would end by that.
            request(A).server(SERVER).wants("10.0.1.15").from("wing"),
            // A relay agent may be any host that says so.
            request(A).wants(ADDRESS).through("10.0.1.77").from("wing"),
            // Its own card with the identifier of the other host.
            request(B).option(OptionCode.CLIENT_IDENTIFIER, IDENTIFIER).wants(ADDRESS).from("wing"),
            request(B).option(OptionCode.CLIENT_IDENTIFIER, IDENTIFIER).wants(ADDRESS));
    }

    private Answer asked(final TestMessage message, final Lease holder, final boolean present) {
        return network.server.asked(message.query(), network.scope(), network.leases, holder, present);
    }

    private static MessageType type(final Answer answer) {
        assertThat(answer).isInstanceOf(Answer.Reply.class);
        return ((Answer.Reply) answer).message().type().orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("claims")
    void aHostThatAnswersKeepsItsLease(final TestMessage claim) {
        assertThat(network.ask(claim)).isEqualTo(new Answer.Ask(held,
            network.scope().servedWith(held.address()).orElseThrow().attached().orElseThrow()));
        assertThat(network.lease(ADDRESS)).as("while it is asked").isEqualTo(held);
        assertThat(type(asked(claim, held, true))).isEqualTo(MessageType.NAK);
        assertThat(network.leases.toList()).containsExactly(held);
    }

    @ParameterizedTest
    @MethodSource("claims")
    void aHostThatHasMovedTakesItsLeaseAlong(final TestMessage claim) {
        network.ask(claim);
        final Answer answer = asked(claim, held, false);
        assertThat(type(answer)).isEqualTo(MessageType.ACK);
        final Ipv4 address = ((Answer.Reply) answer).message().addresses().yours();
        final DhcpMessage message = claim.message();
        assertThat(network.leases.at(address)).hasValueSatisfying(lease -> {
            assertThat(lease.isBound()).isTrue();
            assertThat(lease.mac()).isEqualTo(message.mac());
            assertThat(lease.attachment())
                .isEqualTo(message.isRelayed() ? "" : claim.query().attachment().orElseThrow());
        });
        assertThat(network.leases.bound()).isEqualTo(1);
    }

    @Test
    void aHostThatRenewsWhileItIsAskedIsAskedAgain() {
        final TestMessage claim = request(A).wants(ADDRESS).from("wing");
        network.ask(claim);
        network.reply(request(A).has(ADDRESS).to(SERVER), MessageType.ACK);
        final Lease renewed = network.lease(ADDRESS);
        assertThat(renewed).isNotEqualTo(held);
        assertThat(asked(claim, held, false)).isInstanceOfSatisfying(Answer.Ask.class,
            ask -> assertThat(ask.holder()).isEqualTo(renewed));
        assertThat(network.lease(ADDRESS)).isEqualTo(renewed);
    }

    @Test
    void theHolderItselfIsNotAsked() {
        network.reply(request(A).has(ADDRESS).to(SERVER), MessageType.ACK);
        network.reply(request(A).wants(ADDRESS), MessageType.ACK);
        network.reply(request(A).server(SERVER).wants(ADDRESS), MessageType.ACK);
        network.reply(request(A).server(SERVER).wants("10.0.1.15"), MessageType.ACK);
        assertThat(network.lease(ADDRESS).state()).isEqualTo(Lease.State.FREE);
    }

    @Test
    void whatHasEndedHasNoHolder() {
        network.now += Network.LEASE;
        network.reply(request(A).wants(ADDRESS).from("wing"), MessageType.ACK);
    }

    @Test
    void anotherHostEndsNoLease() {
        for (final String place : List.of("wing", "lan")) {
            for (final Mac mac : List.of(A, B)) {
                if (mac.equals(A) && place.equals("lan")) {
                    continue;
                }
                final TestMessage release = new TestMessage(MessageType.RELEASE, mac).has(ADDRESS).server(SERVER)
                    .option(OptionCode.CLIENT_IDENTIFIER, IDENTIFIER).from(place);
                assertThat(network.silence(release)).isEqualTo(Reason.NOT_THEIRS);
                final TestMessage decline = new TestMessage(MessageType.DECLINE, mac).wants(ADDRESS).server(SERVER)
                    .option(OptionCode.CLIENT_IDENTIFIER, IDENTIFIER).from(place);
                assertThat(network.silence(decline)).isEqualTo(Reason.NOT_THEIRS);
            }
        }
        // From the card of B, in the name of A, which only a relay agent may do.
        for (final MessageType type : List.of(MessageType.RELEASE, MessageType.REQUEST, MessageType.DECLINE)) {
            final TestMessage forged = new TestMessage(type, A).has(ADDRESS).server(SERVER).sourceMac(B);
            assertThat(network.silence(forged)).isEqualTo(Reason.FOREIGN_MAC);
            assertThat(network.silence(forged.source("0.0.0.0").to("10.0.1.1"))).isEqualTo(Reason.FOREIGN_MAC);
        }
        assertThat(network.lease(ADDRESS)).isEqualTo(held);
    }

    @Test
    void aLeaseBehindARelayAgentHasNoHostThatCouldBeAsked() {
        final String address = network.offered(discover(B).through("10.9.0.1"));
        network.reply(request(B).through("10.9.0.1").server(SERVER).wants(address), MessageType.ACK);
        network.reply(request(B).through("10.9.0.1").wants(address).from("wing"), MessageType.ACK);
        assertThat(network.ask(new TestMessage(MessageType.RELEASE, B).has(address).server(SERVER).to(SERVER)
            .sourceMac(new Mac(0x02000000ff01L)))).isEqualTo(new Nothing(Reason.RELEASED));
    }
}
