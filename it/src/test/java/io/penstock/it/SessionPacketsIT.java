// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that are busy enough to pass by connection tracking, and those that must not. */
class SessionPacketsIT extends PairOnNode {
    private static final int ECHO = 9000;
    private static final int UPLOAD = 9001;
    private static final Duration PATIENCE = Await.PATIENCE;
    /** Sends megabytes, says that it is done, and prints the digest that the other side tells. */
    private static final String TRANSFER = """
        import hashlib, os, socket, sys
        link = socket.create_connection((sys.argv[1], int(sys.argv[2])), 10)
        digest, block = hashlib.sha256(), os.urandom(1 << 20)
        for _ in range(int(sys.argv[3])):
            digest.update(block)
            link.sendall(block)
        link.shutdown(socket.SHUT_WR)
        answer = link.makefile().read().split()[0]
        print("same" if answer == digest.hexdigest() else "different: " + answer)
        """;

    @BeforeAll
    static void start() {
        node.network().server().serveUdp(ECHO, "PIPE");
        node.network().server().serveTcp(UPLOAD, "EXEC:sha256sum");
    }

    @BeforeEach
    void load() {
        node.load(TenantPair.intent());
        node.node().ovs().appctl("dpctl/flush-conntrack");
        pair.reachTheirGateways();
    }

    @Test
    void aBusyStreamOfDatagramsGetsASession() {
        assertThat(datagrams(pair.first(), 300, 64, "0.01")).isEqualTo("300");
        Await.until("packets out pass by", () -> node.packets(Table.NAT_OUT_KNOWN, "translated by a session"),
            count -> count >= 100);
        Await.until("packets in pass by", () -> node.packets(Table.NAT_IN_KNOWN, "translated by a session"),
            count -> count >= 100);
        assertThat(learned(Table.NAT_SESSIONS)).contains("idle_timeout=" + Constants.SESSION_IDLE_SECONDS,
            "hard_timeout=" + Constants.SESSION_HARD_SECONDS, "nw_src=10.0.0.5", "nw_dst=" + TenantPair.FIRST_PUBLIC);
        // The address the world sees is the one connection tracking chose, and keeps.
        assertThat(node.node().ovs().appctl("dpctl/dump-conntrack", "zone=2"))
            .containsOnlyOnce("sport=40000").contains("dst=" + TenantPair.FIRST_PUBLIC);
        pair.areIsolated();
    }

    @Test
    void piecesOfDatagramsPassBesideASession() {
        assertThat(datagrams(pair.first(), 200, 64, "0.01")).isEqualTo("200");
        assertThat(node.packets(Table.NAT_OUT_KNOWN, "translated by a session")).isPositive();
        assertThat(datagrams(pair.first(), 5, 4000, "0.1")).isEqualTo("5");
    }

    @Test
    @Requirement(rfc = 5382, number = "2")
    @Requirement(rfc = 7857, number = "2")
    void aTransferEndsAsItShouldAfterPassingBy() {
        final String output = pair.first().shell().run(PATIENCE, "/usr/bin/python3", "-c", TRANSFER,
            EdgeNetwork.SERVER, Integer.toString(UPLOAD), "200");
        assertThat(output).isEqualTo("same");
        Await.until("packets pass by", () -> node.packets(Table.NAT_OUT_KNOWN, "translated by a session"),
            count -> count >= 1000);
        // Tracking has seen the end, with sequence numbers far from those it saw before.
        Await.until("the connection is closed",
            () -> node.node().ovs().appctl("dpctl/dump-conntrack", "zone=2"),
            table -> Pattern.compile("dport=" + UPLOAD + ".*state=(TIME_WAIT|FIN_WAIT_2|CLOSING|CLOSED)").matcher(table)
                .find());
        assertThat(node.packets(Table.NAT_OUT_CHECK, "not translated")).isZero();
    }

    @Test
    void aListStopsASession() {
        assertThat(datagrams(pair.first(), 200, 64, "0.01")).isEqualTo("200");
        assertThat(node.packets(Table.NAT_OUT_KNOWN, "translated by a session")).isPositive();
        node.node().ovs().ofctl("add-flow", Constants.BRIDGE,
            "table=" + Table.BACKBONE_ACL.number() + ",priority=65000,udp,tp_dst=" + ECHO + ",actions=drop");
        assertThat(Datagrams.echoedInVain(pair.first(), EdgeNetwork.SERVER, ECHO, 3, 64, "0.1")).isEqualTo("0");
    }

    @Test
    void aVrfThatIsClosedTracksAllOfItsPackets() {
        assertThat(datagrams(pair.first(), 100, 64, "0.01")).isEqualTo("100");
        Await.until("the first has a session", () -> learned(Table.NAT_SESSIONS), flows -> flows.contains("reg0=0x2/"));
        node.node().ovs().ofctl("del-flows", Constants.BRIDGE, "table=" + Table.NAT_OPEN.number() + ",reg0=2/0xffff");
        // What was on its way is counted.
        node.node().ovs().appctl("revalidator/wait");
        final long before = node.packets(Table.NAT_OUT_KNOWN, "translated by a session");
        assertThat(datagrams(pair.first(), 100, 64, "0.01")).isEqualTo("100");
        assertThat(node.packets(Table.NAT_OUT_KNOWN, "translated by a session")).isEqualTo(before);
        // The other tenant has sessions as before.
        assertThat(datagrams(pair.second(), 200, 64, "0.01")).isEqualTo("200");
        Await.until("the other has a session", () -> learned(Table.NAT_SESSIONS), flows -> flows.contains("reg0=0x3/"));
    }

    private static String datagrams(final Host host, final int count, final int size, final String gap) {
        return Datagrams.echoed(host, EdgeNetwork.SERVER, ECHO, count, size, gap);
    }

    private static String learned(final Table table) {
        return String.join("\n", node.node().ovs().ofctl("--no-names", "dump-flows", Constants.BRIDGE,
            "table=" + table.number()).lines().filter(line -> line.contains("actions=")).toList());
    }
}
