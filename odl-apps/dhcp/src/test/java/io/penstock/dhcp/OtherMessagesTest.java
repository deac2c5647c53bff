// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static io.penstock.dhcp.TestMessage.discover;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import org.junit.jupiter.api.Test;

/** RFC 2131, sections 4.3.3 to 4.3.5: declining, releasing, informing; and the end of leases. */
class OtherMessagesTest {
    private static final Mac A = new Mac(0x02000000000aL);
    private static final Mac B = new Mac(0x02000000000bL);
    private static final String SERVER = "10.0.1.1";

    private final Network network = new Network();

    private static TestMessage decline(final Mac mac) {
        return new TestMessage(MessageType.DECLINE, mac);
    }

    private static TestMessage release(final Mac mac) {
        return new TestMessage(MessageType.RELEASE, mac).to(SERVER).server(SERVER);
    }

    @Test
    void section433DeclinedAddressesAreForNobodyForAWhile() {
        final String address = network.bind(A);
        assertThat(network.silence(decline(A).server(SERVER).wants(address))).isEqualTo(Answer.Reason.DECLINED);
        assertThat(network.lease(address).state()).isEqualTo(Lease.State.DECLINED);
        assertThat(network.bind(A)).isEqualTo("10.0.1.11");
        assertThat(network.offered(discover(B).wants(address))).isEqualTo("10.0.1.12");
        network.reply(TestMessage.request(B).server(SERVER).wants(address), MessageType.NAK);
        network.now += DhcpServer.DECLINED_SECONDS;
        assertThat(network.offered(discover(B).wants(address))).isEqualTo(address);
    }

    @Test
    void section433NobodyDeclinesWhatIsNotTheirs() {
        final String address = network.bind(A);
        assertThat(network.silence(decline(B).server(SERVER).wants(address))).isEqualTo(Answer.Reason.NOT_THEIRS);
        assertThat(network.silence(decline(A).server(SERVER).wants(address).from("wing")))
            .as("from elsewhere").isEqualTo(Answer.Reason.NOT_THEIRS);
        assertThat(network.silence(decline(A).server("10.0.1.250").wants(address)))
            .isEqualTo(Answer.Reason.OTHER_SERVER);
        assertThat(network.silence(decline(A).wants(address))).isEqualTo(Answer.Reason.INCOMPLETE);
        assertThat(network.silence(decline(A).server(SERVER))).isEqualTo(Answer.Reason.INCOMPLETE);
        assertThat(network.lease(address).isBound()).isTrue();
    }

    @Test
    void section433AReservationThatSomebodyElseUsesIsPassedOver() {
        network.keeping("10.0.1.200", A);
        assertThat(network.bind(A)).isEqualTo("10.0.1.200");
        network.silence(decline(A).server(SERVER).wants("10.0.1.200"));
        assertThat(network.bind(A)).isEqualTo("10.0.1.10");
        network.now += DhcpServer.DECLINED_SECONDS;
        assertThat(network.bind(A)).isEqualTo("10.0.1.200");
    }

    @Test
    void section434ReleasedAddressesAreFree() {
        final String address = network.bind(A);
        network.now += 7;
        assertThat(network.silence(release(A).has(address))).isEqualTo(Answer.Reason.RELEASED);
        assertThat(network.lease(address).state()).isEqualTo(Lease.State.FREE);
        assertThat(network.lease(address).expires()).isEqualTo(network.now);
        assertThat(network.offered(discover(B))).as("what nobody had is given first").isEqualTo("10.0.1.11");
        assertThat(network.bind(A)).isEqualTo(address);
    }

    @Test
    void section434NobodyReleasesWhatIsNotTheirs() {
        final String address = network.bind(A);
        assertThat(network.silence(release(B).has(address))).isEqualTo(Answer.Reason.NOT_THEIRS);
        assertThat(network.silence(release(A).has(address).from("wing"))).isEqualTo(Answer.Reason.NOT_THEIRS);
        assertThat(network.silence(release(A).has("10.0.1.15"))).isEqualTo(Answer.Reason.NOT_THEIRS);
        assertThat(network.silence(release(A).has(address).server("10.0.1.250")))
            .isEqualTo(Answer.Reason.OTHER_SERVER);
        assertThat(network.silence(release(A))).isEqualTo(Answer.Reason.INCOMPLETE);
        assertThat(network.lease(address).isBound()).isTrue();
    }

    @Test
    void section435InformGivesOptionsAndNoLease() {
        final TestMessage inform = new TestMessage(MessageType.INFORM, A).has("10.0.1.99");
        final DhcpMessage ack = network.reply(inform, MessageType.ACK);
        assertThat(ack.addresses().yours()).isEqualTo(Ipv4.UNSPECIFIED);
        assertThat(ack.addresses().client()).isEqualTo(Ipv4.parse("10.0.1.99"));
        assertThat(ack.options().all().keySet()).containsExactly(53, 54, 1, 3);
        assertThat(network.delivery(inform)).isEqualTo(
            new Answer.Delivery(Ipv4.parse(SERVER), A, Ipv4.parse("10.0.1.99"), 68));
        assertThat(network.leases.changed()).isFalse();
        assertThat(network.silence(new TestMessage(MessageType.INFORM, A))).isEqualTo(Answer.Reason.INCOMPLETE);
        assertThat(network.silence(new TestMessage(MessageType.INFORM, A).has("192.0.2.1")))
            .isEqualTo(Answer.Reason.NO_SUBNET);
    }

    @Test
    void section332LeasesEndWithTheirTime() {
        final String address = network.bind(A);
        network.now += Network.LEASE - 1;
        network.server.expire(network.leases);
        assertThat(network.lease(address).isBound()).isTrue();
        assertThat(network.leases.bound()).isEqualTo(1);
        network.now++;
        network.server.expire(network.leases);
        assertThat(network.lease(address).state()).isEqualTo(Lease.State.FREE);
        assertThat(network.leases.bound()).isZero();
    }

    @Test
    void hostNamesAreLabelsOfRfc1123() {
        assertThat(nameOf("PC-1")).isEqualTo("pc-1");
        assertThat(nameOf("my_pc 2")).isEqualTo("my-pc-2");
        assertThat(nameOf("pc.acme.example")).isEqualTo("pc");
        assertThat(nameOf("pc\0")).isEqualTo("pc");
        assertThat(nameOf("x".repeat(63))).hasSize(63);
        for (final String wrong : new String[] {"", "-pc", "pc-", "p\nc", "pc;rm", "grün", "x".repeat(64), "\0", "."}) {
            assertThat(nameOf(wrong)).as(wrong).isEmpty();
        }
    }

    private static String nameOf(final String told) {
        return DomainNames.hostName(io.penstock.frames.Bytes.ofText(told)).orElse("");
    }

    @Test
    void ofTwoHostsWithTheSameNameTheSecondHasNone() {
        final String first = bindAs(A, "pc");
        final String second = bindAs(B, "PC");
        assertThat(network.lease(first).hostName()).isEqualTo("pc");
        assertThat(network.lease(second).hostName()).isEmpty();
        network.reply(TestMessage.request(A).has(first).to(SERVER), MessageType.ACK);
        assertThat(network.lease(first).hostName()).as("who tells no name keeps it").isEqualTo("pc");
        network.silence(release(A).has(first));
        network.reply(TestMessage.request(B).has(second).to(SERVER).name("pc"), MessageType.ACK);
        assertThat(network.lease(second).hostName()).isEqualTo("pc");
    }

    @Test
    void aReservedNameIsForItsHostAlone() {
        network.keeping("10.0.1.200", java.util.Optional.of(A), java.util.Optional.empty(), java.util.Optional.empty(),
            java.util.Optional.of("printer"));
        assertThat(network.lease(bindAs(B, "printer")).hostName()).isEmpty();
        assertThat(network.lease(bindAs(A, "other")).hostName()).isEqualTo("printer");
        assertThat(network.reply(discover(A), MessageType.OFFER).options().get(OptionCode.HOST_NAME).orElseThrow()
            .text()).isEqualTo("printer");
    }

    private String bindAs(final Mac mac, final String name) {
        final String address = network.offered(discover(mac));
        network.reply(TestMessage.request(mac).server(SERVER).wants(address).name(name), MessageType.ACK);
        return address;
    }
}
