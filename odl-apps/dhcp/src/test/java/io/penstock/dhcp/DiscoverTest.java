// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static io.penstock.dhcp.TestMessage.discover;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** RFC 2131, section 4.3.1: which address is offered. */
class DiscoverTest {
    private static final Mac A = new Mac(0x02000000000aL);
    private static final Mac B = new Mac(0x02000000000bL);
    private static final Mac C = new Mac(0x02000000000cL);

    private final Network network = new Network();

    private static Lease free(final String address, final Mac mac, final long expires) {
        return new Lease(Ipv4.parse(address), Lease.State.FREE, "01%012x".formatted(mac.number()), mac, "lan", "",
            expires);
    }

    /** All of subnet one is free, .10 for longest, but for the last two that are given here. */
    private static Network used(final Lease... last) {
        final List<Lease> leases = new java.util.ArrayList<>();
        for (int host = 10; host < 20 - last.length; host++) {
            leases.add(free("10.0.1." + host, new Mac(host), Network.START - 100 + host));
        }
        leases.addAll(List.of(last));
        return new Network(leases);
    }

    @Test
    void addressesAreGivenInTheirOrder() {
        assertThat(network.bind(A)).isEqualTo("10.0.1.10");
        assertThat(network.bind(B)).isEqualTo("10.0.1.11");
    }

    @Test
    void theSubnetIsThatOfTheAttachment() {
        assertThat(network.offered(discover(A).from("lab"))).isEqualTo("10.0.2.10");
        assertThat(network.offered(discover(B).from("wing"))).isEqualTo("10.0.1.10");
        assertThat(network.silence(discover(A).from("roof"))).isEqualTo(Answer.Reason.NO_SUBNET);
        assertThat(network.silence(discover(A).from(""))).isEqualTo(Answer.Reason.NO_SUBNET);
    }

    @Test
    void theSameMessageGetsTheSameOffer() {
        final Answer first = network.ask(discover(A));
        network.now += 5;
        assertThat(network.ask(discover(A))).isEqualTo(first);
        assertThat(network.leases.changed()).as("an offer is no lease").isFalse();
    }

    @Test
    void whatIsOfferedToOneIsNotOfferedToAnother() {
        assertThat(network.offered(discover(A))).isEqualTo("10.0.1.10");
        assertThat(network.offered(discover(B))).isEqualTo("10.0.1.11");
        assertThat(network.offered(discover(C).wants("10.0.1.10"))).isEqualTo("10.0.1.12");
        network.now += Offers.HOLD_SECONDS;
        assertThat(network.offered(discover(C).wants("10.0.1.10"))).isEqualTo("10.0.1.10");
    }

    @Test
    void aReservationIsBeforeEverything() {
        assertThat(network.bind(A)).isEqualTo("10.0.1.10");
        network.keeping("10.0.1.200", A);
        assertThat(network.offered(discover(A).wants("10.0.1.12"))).isEqualTo("10.0.1.200");
    }

    @Test
    void whatIsReservedIsForNobodyElse() {
        network.keeping("10.0.1.10", A).keeping("10.0.1.12", B);
        assertThat(network.offered(discover(C).wants("10.0.1.10"))).isEqualTo("10.0.1.11");
        network.take(C, "10.0.1.11");
        assertThat(network.offered(discover(new Mac(C.number() + 1)))).isEqualTo("10.0.1.13");
        assertThat(network.offered(discover(A))).isEqualTo("10.0.1.10");
    }

    @Test
    void whatIsExcludedOrOursIsForNobody() {
        network.excluding("10.0.1.10", "10.0.1.12").excluding("10.0.1.14", "10.0.1.19");
        assertThat(network.offered(discover(A).wants("10.0.1.11"))).isEqualTo("10.0.1.13");
        assertThat(network.silence(discover(B))).isEqualTo(Answer.Reason.NO_ADDRESS);
        assertThat(network.offered(discover(A).wants("10.0.1.1"))).isEqualTo("10.0.1.13");
    }

    @Test
    void whoHasOneKeepsIt() {
        network.bind(A);
        network.bind(B);
        assertThat(network.restart().offered(discover(B).wants("10.0.1.15"))).isEqualTo("10.0.1.11");
    }

    @Test
    void whoHadOneGetsItAgain() {
        final Network before = used(free("10.0.1.18", A, 5), free("10.0.1.19", A, 6));
        assertThat(before.offered(discover(A).wants("10.0.1.12"))).isEqualTo("10.0.1.19");
    }

    @Test
    void whatIsAskedForIsGivenIfItIsFree() {
        assertThat(network.offered(discover(A).wants("10.0.1.15"))).isEqualTo("10.0.1.15");
        assertThat(network.offered(discover(B).wants("10.0.1.15"))).isEqualTo("10.0.1.10");
        assertThat(network.offered(discover(C).wants("10.0.1.77"))).as("in no pool").isEqualTo("10.0.1.11");
    }

    @Test
    void whatNobodyHadIsBeforeWhatSomebodyHad() {
        assertThat(used(free("10.0.1.18", A, 5)).offered(discover(B))).isEqualTo("10.0.1.19");
    }

    @Test
    void thenComesWhatIsFreeForLongest() {
        final Network full = used(free("10.0.1.18", A, 7), free("10.0.1.19", B, 5));
        assertThat(full.offered(discover(C))).isEqualTo("10.0.1.19");
        assertThat(full.offered(discover(new Mac(C.number() + 1)))).isEqualTo("10.0.1.18");
        assertThat(full.offered(discover(new Mac(C.number() + 2)))).isEqualTo("10.0.1.10");
    }

    @Test
    void whenNoneIsLeftThereIsNoAnswer() {
        for (int host = 0; host < 10; host++) {
            network.bind(new Mac(A.number() + host));
        }
        assertThat(network.silence(discover(new Mac(A.number() + 10)))).isEqualTo(Answer.Reason.NO_ADDRESS);
        network.now += Network.LEASE;
        assertThat(network.offered(discover(new Mac(A.number() + 10)))).isEqualTo("10.0.1.10");
    }

    @Test
    void theQuotaEndsWhatIsGiven() {
        network.quota(2);
        network.bind(A);
        final String second = network.offered(discover(B));
        final String third = network.offered(discover(C));
        network.take(B, second);
        assertThat(network.silence(discover(new Mac(C.number() + 1)))).isEqualTo(Answer.Reason.QUOTA);
        assertThat(network.silence(TestMessage.request(C).server("10.0.1.1").wants(third)))
            .isEqualTo(Answer.Reason.QUOTA);
        assertThat(network.bind(A)).as("who has one goes on").isEqualTo("10.0.1.10");
        network.now += Network.LEASE;
        network.bind(C);
    }

    @Test
    void aReservationOfAPlaceIsForWhoeverIsThere() {
        network.keeping("10.0.1.50", Optional.empty(), Optional.of("wing"), Optional.empty(), Optional.empty());
        assertThat(network.offered(discover(A))).isEqualTo("10.0.1.10");
        assertThat(network.offered(discover(B).from("wing"))).isEqualTo("10.0.1.50");
    }

    @Test
    void aReservationOfAPlaceIsTakenOverFromWhoWasThere() {
        network.keeping("10.0.1.50", Optional.empty(), Optional.of("lan"), Optional.empty(), Optional.empty());
        assertThat(network.bind(A)).isEqualTo("10.0.1.50");
        assertThat(network.bind(B)).isEqualTo("10.0.1.50");
        assertThat(network.lease("10.0.1.50").mac()).isEqualTo(B);
        network.reply(TestMessage.request(A).has("10.0.1.50").to("10.0.1.1"), MessageType.NAK);
    }

    @Test
    void rfc2132Section92ALeaseMayBeShorterThanConfigured() {
        final TestMessage message = discover(A).option(OptionCode.LEASE_TIME, "00000258");
        assertThat(network.reply(message, MessageType.OFFER).options().number(OptionCode.LEASE_TIME)).contains(600L);
        assertThat(network.reply(message.option(OptionCode.LEASE_TIME, "ffffffff"), MessageType.OFFER).options()
            .number(OptionCode.LEASE_TIME)).contains((long) Network.LEASE);
        assertThat(network.reply(message.option(OptionCode.LEASE_TIME, "00000001"), MessageType.OFFER).options()
            .number(OptionCode.LEASE_TIME)).contains(60L);
    }

    @Test
    void offersAreBounded() {
        final Offers offers = new Offers();
        for (long client = 0; client < 3 * Offers.MOST; client++) {
            offers.hold("c" + client, new Ipv4(client), true, 0);
        }
        assertThat(offers.to("c0")).isEmpty();
        assertThat(offers.nextUnoffered(2 * Offers.MOST)).isEqualTo(3 * Offers.MOST);
        assertThat(offers.nextUnoffered(0)).isZero();
        offers.expire(Offers.HOLD_SECONDS);
        assertThat(offers.nextUnoffered(2 * Offers.MOST)).isEqualTo(2 * Offers.MOST);
    }

    @Test
    void messagesThatAreNoneOfAClientAreNotAnswered() {
        assertThat(network.silence(discover(A).operation(DhcpMessage.REPLY))).isEqualTo(Answer.Reason.NOT_A_REQUEST);
        assertThat(network.silence(discover(A).without(OptionCode.MESSAGE_TYPE))).isEqualTo(Answer.Reason.BOOTP);
        assertThat(network.silence(discover(A).option(OptionCode.MESSAGE_TYPE, "0d")))
            .isEqualTo(Answer.Reason.UNKNOWN_TYPE);
        assertThat(network.silence(new TestMessage(MessageType.OFFER, A))).isEqualTo(Answer.Reason.NOT_A_REQUEST);
        assertThat(network.silence(discover(new Mac(0x010000000001L)))).isEqualTo(Answer.Reason.HARDWARE);
        assertThat(network.silence(discover(A).sourceMac(B))).isEqualTo(Answer.Reason.FOREIGN_MAC);
    }
}
