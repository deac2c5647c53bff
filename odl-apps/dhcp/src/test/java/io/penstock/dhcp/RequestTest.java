// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static io.penstock.dhcp.TestMessage.discover;
import static io.penstock.dhcp.TestMessage.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import org.junit.jupiter.api.Test;

/** RFC 2131, section 4.3.2: requests in their four states. */
class RequestTest {
    private static final Mac A = new Mac(0x02000000000aL);
    private static final Mac B = new Mac(0x02000000000bL);
    private static final String SERVER = "10.0.1.1";

    private final Network network = new Network();

    private void assertNak(final TestMessage message) {
        final DhcpMessage nak = network.reply(message, MessageType.NAK);
        assertThat(nak.addresses().yours()).isEqualTo(Ipv4.UNSPECIFIED);
        assertThat(nak.addresses().client()).isEqualTo(Ipv4.UNSPECIFIED);
        assertThat(nak.options().all().keySet()).containsExactly(53, 54, 56);
    }

    @Test
    void selectingBindsWhatWasOffered() {
        final String address = network.offered(discover(A).name("pc"));
        final DhcpMessage ack =
            network.reply(request(A).server(SERVER).wants(address).name("pc"), MessageType.ACK);
        assertThat(ack.addresses().yours()).isEqualTo(Ipv4.parse(address));
        assertThat(network.lease(address)).isEqualTo(new Lease(Ipv4.parse(address), Lease.State.BOUND,
            "0102000000000a", A, "lan", "pc", Network.START + Network.LEASE));
        assertThat(network.leases.changed()).isTrue();
    }

    @Test
    void selectingAgainIsAnsweredAgain() {
        final String address = network.bind(A);
        final TestMessage again = request(A).server(SERVER).wants(address);
        assertThat(network.ask(again)).isEqualTo(network.ask(again));
        final LeaseTable same = new LeaseTable(network.leases.toList());
        network.server.answer(again.query(), network.scope(), same);
        assertThat(same.changed()).as("in the same second nothing is new").isFalse();
    }

    @Test
    void selectingAnotherServerFreesTheOffer() {
        final String address = network.offered(discover(A));
        assertThat(network.silence(request(A).server("10.0.1.250").wants(address)))
            .isEqualTo(Answer.Reason.OTHER_SERVER);
        assertThat(network.offered(discover(B))).isEqualTo(address);
    }

    @Test
    void selectingWorksAfterARestart() {
        final String address = network.offered(discover(A));
        network.restart();
        assertThat(network.take(A, address)).isEqualTo(address);
    }

    @Test
    void selectingWhatIsNotTheirsIsRefused() {
        network.bind(A);
        assertNak(request(B).server(SERVER).wants("10.0.1.10"));
        assertNak(request(B).server(SERVER).wants("10.0.1.77"));
        assertNak(request(B).server(SERVER).wants("10.0.1.1"));
        assertNak(request(B).server(SERVER).wants("192.0.2.1"));
        final String offered = network.offered(discover(B));
        assertNak(request(new Mac(B.number() + 1)).server(SERVER).wants(offered));
    }

    @Test
    void initRebootGivesWhatTheClientHad() {
        final String address = network.bind(A);
        assertThat(network.restart().reply(request(A).wants(address), MessageType.ACK).addresses().yours())
            .isEqualTo(Ipv4.parse(address));
        network.now += Network.LEASE;
        network.reply(request(A).wants(address), MessageType.ACK);
        assertThat(network.lease(address).expires()).isEqualTo(network.now + Network.LEASE);
    }

    @Test
    void initRebootOnAWrongNetworkIsRefused() {
        assertNak(request(A).wants("192.0.2.1"));
        final String address = network.bind(A);
        assertNak(request(A).wants(address).from("lab"));
    }

    @Test
    void initRebootOfAnUnknownClientIsNotAnswered() {
        assertThat(network.silence(request(A).wants("10.0.1.12"))).isEqualTo(Answer.Reason.NO_RECORD);
        assertThat(network.silence(request(A).wants("10.0.3.12"))).as("of a subnet that another server may serve")
            .isEqualTo(Answer.Reason.NO_RECORD);
    }

    @Test
    void initRebootWithWhatIsNotTheirsIsRefused() {
        network.bind(A);
        network.bind(B);
        assertNak(request(A).wants("10.0.1.11"));
        assertNak(request(A).wants("10.0.1.15"));
    }

    @Test
    void initRebootMovesToAReservation() {
        final String address = network.bind(A);
        network.keeping("10.0.1.200", A);
        assertNak(request(A).wants(address));
        assertThat(network.bind(A)).isEqualTo("10.0.1.200");
        assertThat(network.lease(address).state()).as("one lease in a subnet").isEqualTo(Lease.State.FREE);
    }

    @Test
    void aReservationIsARecord() {
        network.keeping("10.0.1.200", A);
        network.reply(request(A).wants("10.0.1.200"), MessageType.ACK);
        assertNak(request(A).wants("10.0.1.12"));
    }

    @Test
    void renewingExtendsTheLease() {
        final String address = network.bind(A);
        network.now += 1800;
        final Answer.Reply ack = (Answer.Reply) network.ask(request(A).has(address).to(SERVER));
        assertThat(ack.message().type()).contains(MessageType.ACK);
        assertThat(ack.message().addresses().client()).isEqualTo(Ipv4.parse(address));
        assertThat(ack.delivery()).isEqualTo(
            new Answer.Delivery(Ipv4.parse(SERVER), A, Ipv4.parse(address), 68));
        assertThat(network.lease(address).expires()).isEqualTo(network.now + Network.LEASE);
    }

    @Test
    void renewingWhatIsUnknownIsRefused() {
        assertNak(request(A).has("10.0.1.12").to(SERVER));
    }

    @Test
    void renewingWhatIsInNoPoolAnyMoreIsRefused() {
        final String address = network.bind(A);
        network.excluding(address, address);
        assertNak(request(A).has(address).to(SERVER));
        assertThat(network.bind(A)).isEqualTo("10.0.1.11");
    }

    @Test
    void renewingWhatSomebodyElseGotIsRefused() {
        final String address = network.bind(A);
        network.now += Network.LEASE;
        for (int host = 0; host < 10; host++) {
            network.bind(new Mac(B.number() + host));
        }
        assertNak(request(A).has(address).to(SERVER));
    }

    @Test
    void rebindingIsHeardByAllServers() {
        final String address = network.bind(A);
        network.now += 3200;
        network.reply(request(A).has(address), MessageType.ACK);
        assertThat(network.silence(request(B).has("10.0.1.15"))).isEqualTo(Answer.Reason.NO_RECORD);
        assertNak(request(A).has("192.0.2.7"));
    }

    @Test
    void clientsWithAnIdentifierAreNotThoseOfTheirMacAddress() {
        final String address = network.bind(A);
        assertThat(network.offered(discover(A).option(OptionCode.CLIENT_IDENTIFIER, "ff0102"))).isNotEqualTo(address);
        assertThat(network.offered(discover(A).option(OptionCode.CLIENT_IDENTIFIER, "0102000000000a")))
            .as("the identifier that says the MAC address").isEqualTo(address);
    }

    @Test
    void requestsWithoutAnAddressOrWithTwoAreNotAnswered() {
        assertThat(network.silence(request(A))).isEqualTo(Answer.Reason.INCOMPLETE);
        assertThat(network.silence(request(A).server(SERVER))).isEqualTo(Answer.Reason.INCOMPLETE);
        assertThat(network.silence(request(A).has("10.0.1.10").wants("10.0.1.11")))
            .isEqualTo(Answer.Reason.INCOMPLETE);
    }

    @Test
    void initRebootOfAnUnknownClientWithAnAddressOfAnotherIsNotAnswered() {
        final String address = network.bind(A);
        assertThat(network.silence(request(B).wants(address))).isEqualTo(Answer.Reason.NO_RECORD);
        assertThat(network.lease(address).mac()).isEqualTo(A);
    }

    @Test
    void aDeclinedAddressIsNoRecordOfItsClient() {
        final String address = network.bind(A);
        network.ask(new TestMessage(MessageType.DECLINE, A).wants(address).server(SERVER));
        assertThat(network.lease(address).state()).isEqualTo(Lease.State.DECLINED);
        assertThat(network.silence(request(A).wants(address))).isEqualTo(Answer.Reason.NO_RECORD);
        assertThat(network.silence(request(A).wants("10.0.1.15"))).isEqualTo(Answer.Reason.NO_RECORD);
    }

    @Test
    void aClientWithAReservationIsKnownBeforeItsFirstLease() {
        network.keeping("10.0.1.200", A);
        assertNak(request(A).wants("10.0.1.12"));
    }

    @Test
    void aClientWhoseReservationIsTakenDoesNotGetAnyAddressThatItNames() {
        network.keeping("10.0.1.200", A);
        network.leases.put(new Lease(Ipv4.parse("10.0.1.200"), Lease.State.DECLINED, "other", B, "lan", "",
            Network.START + Network.LEASE));
        assertNak(request(A).wants("10.0.1.12"));
        assertThat(network.leases.at(Ipv4.parse("10.0.1.12"))).isEmpty();
    }

    @Test
    void aRefusedClientLosesItsOffer() {
        final String address = network.offered(discover(A));
        assertNak(request(A).server(SERVER).wants("10.0.1.77"));
        assertThat(network.offered(discover(B))).isEqualTo(address);
    }

    @Test
    void anAddressNamedTwiceIsRenewedAndZeroIsNone() {
        final String address = network.bind(A);
        network.reply(request(A).has(address).wants(address).to(SERVER), MessageType.ACK);
        assertThat(network.silence(request(A).wants("0.0.0.0"))).isEqualTo(Answer.Reason.INCOMPLETE);
    }

    @Test
    void aLeaseThroughARelayAgentInAnAttachedSubnetIsAtNoAttachment() {
        final String address = network.offered(discover(A).through("10.0.2.2"));
        network.reply(request(A).through("10.0.2.2").server("10.0.2.1").wants(address), MessageType.ACK);
        assertThat(network.lease(address).attachment()).isEmpty();
    }

    @Test
    void section41RepliesGoWhereTheClientHears() {
        final Ipv4 server = Ipv4.parse(SERVER);
        assertThat(network.delivery(discover(A))).isEqualTo(
            new Answer.Delivery(server, A, Ipv4.parse("10.0.1.10"), 68));
        assertThat(network.delivery(discover(A).flags(DhcpMessage.BROADCAST))).isEqualTo(
            new Answer.Delivery(server, Constants.BROADCAST_MAC, Ipv4.BROADCAST, 68));
        assertThat(network.delivery(request(A).has("192.0.2.1"))).as("a NAK is for everybody").isEqualTo(
            new Answer.Delivery(server, Constants.BROADCAST_MAC, Ipv4.BROADCAST, 68));
        assertThat(network.delivery(discover(A).through("10.9.0.1"))).isEqualTo(
            new Answer.Delivery(server, new Mac(0x02000000ff01L), Ipv4.parse("10.9.0.1"), 67));
    }
}
