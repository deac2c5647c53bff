// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One tenant fills the whole table of connections of a node, for all of its tenants. */
@Tag("safety")
class NatFullPacketsIT extends PairOnNode {
    private static final int FIRST_ZONE = 2;
    private static final int ECHO = 7;
    private static final int TALK = 7001;
    private static final int ROOM = 60;
    private static final int MANY = 300;
    private static final String NOT_TRANSLATED = "not translated";
    /** Says a number every 20 ms over one connection and counts how many came back in time; ends when told by TERM. */
    private static final String TALKER = """
        import signal, socket, sys, time
        going = True
        def end(*_):
            global going
            going = False
        signal.signal(signal.SIGTERM, end)
        link = socket.create_connection((sys.argv[1], int(sys.argv[2])), 10)
        link.settimeout(60)
        print("ready", flush=True)
        while going:
            link.sendall(b"12345678")
            link.recv(8)
            print("heard", flush=True)
            time.sleep(0.02)
        """;

    private static String room;

    @BeforeAll
    static void start() {
        Datagrams.echo(node.network().server(), ECHO);
        node.network().server().serveTcp(TALK, "PIPE");
        node.load(TenantPair.intent());
        room = node.node().ovs().appctl("dpctl/ct-get-maxconns");
    }

    @BeforeEach
    void load() {
        node.load(TenantPair.intent());
        node.node().ovs().appctl("dpctl/flush-conntrack");
        pair.reachTheirGateways();
        node.node().ovs().appctl("dpctl/ct-set-maxconns", Integer.toString(ROOM));
    }

    @AfterEach
    void makeRoom() {
        node.node().ovs().appctl("dpctl/ct-set-maxconns", room);
    }

    @Test
    @Requirement(rfc = 6888, number = {"5", "5a", "5b", "4c", "11a", "11c", "11d"})
    void nothingLeaksConnectionsGoOnAndItRecovers() {
        try (Script talk = new Script(node, pair.second(), TALKER, EdgeNetwork.SERVER, TALK);
                Capture uplink = node.network().transit().capture(TenantPair.PRIVATE)) {
            assertThat(Datagrams.answeredSoon(pair.first(), EdgeNetwork.SERVER, ECHO, MANY)).isBetween(1, ROOM);
            Await.until("the drops are counted", () -> node.packets(Table.NAT_OUT_CHECK, NOT_TRANSLATED),
                count -> count >= MANY - ROOM);
            assertThat(node.node().ovs().appctl("dpctl/ct-get-nconns")).isEqualTo(Integer.toString(ROOM));

            // Who has a connection keeps it.
            final int heard = talk.lines().size();
            Await.until("the other tenant's connection goes on", talk::lines, lines -> lines.size() > heard + 50);
            // Nobody gets a new one, not the other tenant either.
            pair.second().getsNoTcpAnswer(EdgeNetwork.SERVER, TenantPair.WEB);
            assertThat(pair.first().ping(EdgeNetwork.SERVER, 2)).isFalse();
            // Pieces of datagrams take another way to the same end.
            assertThat(pair.first().shell().attempt("ping", "-n", "-c", "1", "-W", "1", "-s", "4000",
                EdgeNetwork.SERVER).isGood()).isFalse();
            assertThat(uplink.all()).isEmpty();

            // What was in the way ends, and all is as it was.
            node.node().ovs().appctl("dpctl/flush-conntrack", "zone=" + FIRST_ZONE);
            assertThat(Datagrams.answered(pair.first(), EdgeNetwork.SERVER, ECHO, ROOM / 2)).isEqualTo(ROOM / 2);
            assertThat(pair.second().askTcp(EdgeNetwork.SERVER, TenantPair.WEB)).isEqualTo(TenantPair.SECOND_PUBLIC);
            final int later = talk.lines().size();
            Await.until("the other tenant's connection goes on", talk::lines, lines -> lines.size() > later + 50);
            assertThat(talk.lines()).containsOnly("heard");
            assertThat(uplink.all()).isEmpty();
        }
    }
}
