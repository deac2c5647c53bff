// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static io.penstock.dhcp.TestMessage.discover;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** RFC 2131, section 2.2: an address is asked for before it is given. */
class ProbeTest {
    private static final Mac A = new Mac(0x02000000000aL);
    private static final Mac B = new Mac(0x02000000000bL);

    private final Network network = new Network().probing();

    private String asked(final TestMessage message) {
        final Answer answer = network.ask(message);
        assertThat(answer).isInstanceOf(Answer.Probe.class);
        return ((Answer.Probe) answer).address().toString();
    }

    private Answer probed(final TestMessage message, final String address, final boolean conflict) {
        return network.server.probed(message.query(), network.scope(), network.leases, Ipv4.parse(address), conflict);
    }

    private static String offered(final Answer answer) {
        assertThat(answer).isInstanceOf(Answer.Reply.class);
        return ((Answer.Reply) answer).message().addresses().yours().toString();
    }

    @Test
    void whatNobodyHasIsOfferedWhenNobodyAnswers() {
        assertThat(asked(discover(A))).isEqualTo("10.0.1.10");
        assertThat(asked(discover(A))).as("again before the answer").isEqualTo("10.0.1.10");
        assertThat(asked(discover(B))).isEqualTo("10.0.1.11");
        assertThat(offered(probed(discover(A), "10.0.1.10", false))).isEqualTo("10.0.1.10");
        assertThat(network.offered(discover(A))).as("again after the answer").isEqualTo("10.0.1.10");
        assertThat(network.take(A, "10.0.1.10")).isEqualTo("10.0.1.10");
    }

    @Test
    void whatSomebodyUsesIsForNobodyForAWhile() {
        assertThat(asked(discover(A))).isEqualTo("10.0.1.10");
        final Answer next = probed(discover(A), "10.0.1.10", true);
        assertThat(next).isInstanceOf(Answer.Probe.class);
        assertThat(((Answer.Probe) next).address()).isEqualTo(Ipv4.parse("10.0.1.11"));
        assertThat(network.lease("10.0.1.10").state()).isEqualTo(Lease.State.DECLINED);
        assertThat(network.lease("10.0.1.10").expires()).isEqualTo(Network.START + DhcpServer.DECLINED_SECONDS);
        assertThat(offered(probed(discover(A), "10.0.1.11", false))).isEqualTo("10.0.1.11");
        network.now += DhcpServer.DECLINED_SECONDS;
        assertThat(asked(discover(B))).isEqualTo("10.0.1.10");
    }

    @Test
    void whenEverythingIsUsedThereIsNoAnswer() {
        Answer answer = network.ask(discover(A));
        for (int host = 10; host < 20; host++) {
            assertThat(answer).isInstanceOf(Answer.Probe.class);
            answer = probed(discover(A), ((Answer.Probe) answer).address().toString(), true);
        }
        assertThat(answer).isEqualTo(new Answer.Nothing(Answer.Reason.NO_ADDRESS));
    }

    @Test
    void whatAHostHasOrIsKeptForItIsNotAskedFor() {
        network.keeping("10.0.1.50", A);
        assertThat(network.offered(discover(A))).isEqualTo("10.0.1.50");
        assertThat(asked(discover(B))).isEqualTo("10.0.1.10");
        probed(discover(B), "10.0.1.10", false);
        network.take(B, "10.0.1.10");
        assertThat(network.restart().offered(discover(B))).isEqualTo("10.0.1.10");
    }

    @Test
    void behindARelayAgentNobodyCouldBeAsked() {
        assertThat(network.offered(discover(A).through("10.9.0.1"))).isEqualTo("10.9.0.10");
    }

    @Test
    void aPlaceIsTakenOverOnlyWhenNobodyIsThereAnyMore() {
        network.keeping("10.0.1.50", Optional.empty(), Optional.of("lan"), Optional.empty(), Optional.empty());
        assertThat(asked(discover(A))).isEqualTo("10.0.1.50");
        probed(discover(A), "10.0.1.50", false);
        network.take(A, "10.0.1.50");

        assertThat(asked(discover(B))).isEqualTo("10.0.1.50");
        network.reply(TestMessage.request(B).server("10.0.1.1").wants("10.0.1.50"), MessageType.NAK);
        assertThat(asked(discover(B))).isEqualTo("10.0.1.50");
        final Answer other = probed(discover(B), "10.0.1.50", true);
        assertThat(((Answer.Probe) other).address()).isEqualTo(Ipv4.parse("10.0.1.10"));
        assertThat(network.lease("10.0.1.50").mac()).as("the first is still there").isEqualTo(A);
        assertThat(network.lease("10.0.1.50").isBound()).isTrue();
        assertThat(offered(probed(discover(B), "10.0.1.10", false))).isEqualTo("10.0.1.10");
        assertThat(network.take(B, "10.0.1.10")).isEqualTo("10.0.1.10");

        assertThat(asked(discover(B))).isEqualTo("10.0.1.50");
        assertThat(offered(probed(discover(B), "10.0.1.50", false))).isEqualTo("10.0.1.50");
        assertThat(network.take(B, "10.0.1.50")).isEqualTo("10.0.1.50");
        assertThat(network.lease("10.0.1.50").mac()).isEqualTo(B);
        assertThat(network.lease("10.0.1.10").state()).isEqualTo(Lease.State.FREE);
    }

    @Test
    void aRestartWhileAskingLosesNothing() {
        assertThat(asked(discover(A))).isEqualTo("10.0.1.10");
        network.restart();
        assertThat(offered(probed(discover(A), "10.0.1.10", false))).isEqualTo("10.0.1.10");
    }
}
