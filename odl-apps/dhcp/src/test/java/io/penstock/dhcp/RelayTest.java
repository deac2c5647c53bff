// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static io.penstock.dhcp.TestMessage.discover;
import static io.penstock.dhcp.TestMessage.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.frames.Bytes;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Clients behind relay agents: RFC 2131, section 4.1; RFC 3046; RFC 3527; RFC 3011. */
class RelayTest {
    private static final Mac A = new Mac(0x02000000000aL);
    private static final Mac B = new Mac(0x02000000000bL);
    private static final String RELAY = "10.9.0.1";
    private static final Mac ROUTER_MAC = new Mac(0x02000000ff01L);

    private final Network network = new Network();

    private static Bytes router(final DhcpMessage message) {
        return message.options().get(OptionCode.ROUTERS).orElse(Bytes.EMPTY);
    }

    private String bindBehind(final String relay) {
        final String address = network.offered(discover(A).through(relay));
        network.reply(request(A).through(relay).server("10.0.1.1").wants(address), MessageType.ACK);
        return address;
    }

    @Test
    void theSubnetIsThatOfTheAgentAndItsRouterIsTheAgent() {
        final DhcpMessage offer = network.reply(discover(A).through(RELAY), MessageType.OFFER);
        assertThat(offer.addresses().yours().toString()).isEqualTo("10.9.0.10");
        assertThat(offer.addresses().relay()).isEqualTo(Ipv4.parse(RELAY));
        assertThat(router(offer).hex()).isEqualTo("0a090001");
        assertThat(network.silence(discover(A).through("10.8.0.1"))).isEqualTo(Answer.Reason.NO_SUBNET);
    }

    @Test
    void theAgentItselfIsNotInThePool() {
        assertThat(network.offered(discover(A).through("10.9.0.10"))).isEqualTo("10.9.0.11");
        assertThat(network.offered(discover(A).through("10.9.0.10").wants("10.9.0.10"))).isEqualTo("10.9.0.11");
    }

    @Test
    void theLeaseIsAtNoAttachment() {
        assertThat(network.lease(bindBehind(RELAY)).attachment()).isEmpty();
    }

    @Test
    void theServerIsTheGatewayThatFacesTheAgent() {
        final DhcpMessage attached = network.reply(discover(A).through("10.0.2.2"), MessageType.OFFER);
        assertThat(attached.options().address(OptionCode.SERVER)).contains(Ipv4.parse("10.0.2.1"));
        final DhcpMessage routed = network.reply(discover(A).through(RELAY), MessageType.OFFER);
        assertThat(routed.options().address(OptionCode.SERVER)).contains(Ipv4.parse("10.0.1.1"));
        final DhcpMessage told = network.reply(discover(A).through(RELAY).to("10.0.3.1"), MessageType.OFFER);
        assertThat(told.options().address(OptionCode.SERVER)).contains(Ipv4.parse("10.0.3.1"));
    }

    @Test
    void aRefusalIsForEverybodyBehindTheAgent() {
        final TestMessage wrong = request(A).through(RELAY).wants("192.0.2.1");
        final DhcpMessage nak = network.reply(wrong, MessageType.NAK);
        assertThat(nak.header().flags()).isEqualTo(DhcpMessage.BROADCAST);
        assertThat(network.delivery(wrong)).isEqualTo(
            new Answer.Delivery(Ipv4.parse("10.0.1.1"), ROUTER_MAC, Ipv4.parse(RELAY), 67));
    }

    @Test
    void renewingComesWithoutTheAgent() {
        final String address = bindBehind(RELAY);
        final TestMessage renewal = request(A).has(address).to("10.0.1.1").sourceMac(ROUTER_MAC);
        final DhcpMessage ack = network.reply(renewal, MessageType.ACK);
        assertThat(router(ack).hex()).as("the router is remembered").isEqualTo("0a090001");
        assertThat(network.delivery(renewal)).isEqualTo(
            new Answer.Delivery(Ipv4.parse("10.0.1.1"), ROUTER_MAC, Ipv4.parse(address), 68));
        assertThat(network.lease(address).attachment()).isEmpty();
    }

    @Test
    void renewingForSomebodyElseIsRefused() {
        final String address = bindBehind(RELAY);
        network.reply(request(A).has(address).to("10.0.1.1").source("10.0.1.10"), MessageType.NAK);
        network.reply(request(B).has(address).to("10.0.1.1").sourceMac(ROUTER_MAC), MessageType.NAK);
        assertThat(network.lease(address).mac()).isEqualTo(A);
    }

    @Test
    void afterARestartTheAgentHasToBeHeardFirst() {
        final String address = bindBehind(RELAY);
        final TestMessage renewal = request(A).has(address).to("10.0.1.1").sourceMac(ROUTER_MAC);
        assertThat(network.restart().silence(renewal)).isEqualTo(Answer.Reason.RELAY_UNKNOWN);
        network.reply(request(A).has(address).through(RELAY), MessageType.ACK);
        assertThat(router(network.reply(renewal, MessageType.ACK)).hex()).isEqualTo("0a090001");
    }

    @Test
    void releasingComesWithoutTheAgent() {
        final String address = bindBehind(RELAY);
        assertThat(network.silence(new TestMessage(MessageType.RELEASE, A).has(address).to("10.0.1.1")
            .server("10.0.1.1").sourceMac(ROUTER_MAC))).isEqualTo(Answer.Reason.RELEASED);
    }

    @Test
    void rfc3527TheAgentMayNameAnotherLink() {
        assertThat(network.offered(discover(A).through("10.8.0.1").option(OptionCode.RELAY_AGENT, "05040a090000")))
            .isEqualTo("10.9.0.10");
        final DhcpMessage offer = network.reply(
            discover(A).through("10.8.0.1").option(OptionCode.RELAY_AGENT, "05040a090000"), MessageType.OFFER);
        assertThat(router(offer)).as("the agent is in another subnet").isEqualTo(Bytes.EMPTY);
    }

    @Test
    void rfc3011TheClientMayNameItsSubnetBehindAnAgent() {
        final DhcpMessage offer = network.reply(
            discover(A).through("10.8.0.1").option(OptionCode.SUBNET_SELECTION, "0a090000"), MessageType.OFFER);
        assertThat(offer.addresses().yours().toString()).isEqualTo("10.9.0.10");
        assertThat(offer.options().get(OptionCode.SUBNET_SELECTION)).isPresent();
        final DhcpMessage here = network.reply(
            discover(B).option(OptionCode.SUBNET_SELECTION, "0a090000"), MessageType.OFFER);
        assertThat(here.addresses().yours().toString()).as("without one it does not choose").isEqualTo("10.0.1.10");
        assertThat(here.options().get(OptionCode.SUBNET_SELECTION)).isEmpty();
    }

    @Test
    void rfc3046AReservationOfACircuitIsForWhoeverIsThere() {
        network.keeping("10.9.0.50", Optional.empty(), Optional.empty(), Optional.of("AA:bb"), Optional.empty());
        final TestMessage onCircuit = discover(A).through(RELAY).option(OptionCode.RELAY_AGENT, "0102aabb");
        assertThat(network.offered(onCircuit)).isEqualTo("10.9.0.50");
        assertThat(network.offered(discover(B).through(RELAY).option(OptionCode.RELAY_AGENT, "0102aacc")))
            .isEqualTo("10.9.0.10");
        assertThat(network.offered(discover(B).option(OptionCode.RELAY_AGENT, "0102aabb")))
            .as("a client that says so itself").isEqualTo("10.0.1.10");
    }

    @Test
    void rfc3046RenewingWithoutTheCircuitKeepsItsReservation() {
        network.keeping("10.9.0.50", Optional.empty(), Optional.empty(), Optional.of("aabb"), Optional.empty());
        network.reply(discover(A).through(RELAY).option(OptionCode.RELAY_AGENT, "0102aabb"), MessageType.OFFER);
        network.reply(request(A).through(RELAY).option(OptionCode.RELAY_AGENT, "0102aabb").server("10.0.1.1")
            .wants("10.9.0.50"), MessageType.ACK);
        network.reply(request(A).has("10.9.0.50").to("10.0.1.1").sourceMac(ROUTER_MAC), MessageType.ACK);
    }
}
