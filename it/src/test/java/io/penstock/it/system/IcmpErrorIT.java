// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.it.Requirement;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the routers of VRFs tell senders, as Linux understands it. */
@OnSystem
class IcmpErrorIT {
    /** Of its own, since hosts remember what they were told of a path. */
    private static final int VLAN = 180;
    private static final int NARROW = 1400;
    private static final int HEADERS = 28;
    private static final int SINK = 9000;
    private static final int MEGABYTES = 2;
    private static final int FLOOD_PACKETS = 20_000;
    private static final int MOST_OF_THEM = 1000;
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final String FLOOD = """
        import socket, sys
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 1)
        for i in range(int(sys.argv[2])):
            try:
                s.sendto(b"x", (sys.argv[1], 33434))
            except OSError:
                pass
        """;

    private final EdgeSystem system;
    private final EdgeNode node;
    private final Host host;
    private final Host server;

    IcmpErrorIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
        host = node.host(VLAN);
        server = node.network().server();
    }

    @BeforeEach
    void reset() {
        system.reset();
        put("");
        forgetPaths();
        host.reaches(EdgeNetwork.SERVER);
    }

    @AfterEach
    void forgetPaths() {
        List.of(host, server).forEach(each -> each.shell().run("ip", "route", "flush", "cache"));
    }

    private void put(final String subnetMore) {
        system.restconf().put(Intent.path("acme"), Intent.tenants(List.of(Intent.tenant("acme", node, VLAN,
            Intent.FIRST_POOL).replace("'gateway': '10.0.0.1'", "'gateway': '10.0.0.1'" + subnetMore))));
        system.awaitApplied();
    }

    private void narrowUplink() {
        system.restconf().patch(Intent.NETWORK + "/backbone/interface=" + node.name() + ",up0",
            "{'penstock:interface': [{'node': '%s', 'port': 'up0', 'mtu': %d}]}".formatted(node.name(), NARROW));
        system.awaitApplied();
    }

    private long outcome(final String text) {
        return StreamSupport.stream(system.restconf().call("status", "{}").getAsJsonObject("controller")
            .getAsJsonArray("icmp-error").spliterator(), false).map(each -> each.getAsJsonObject())
            .filter(each -> each.get("outcome").getAsString().equals(text)).findFirst().orElseThrow()
            .get("packets").getAsLong();
    }

    /** The hops, with a star for one that says nothing. */
    private static List<String> trace(final Host from, final String destination, final String... options) {
        final String output = from.shell().attempt(Stream.of(
            Stream.of("traceroute", "-n", "-q", "1", "-N", "1", "-w", "20"), Stream.of(options), Stream.of(destination))
            .flatMap(each -> each).toArray(String[]::new)).output();
        return Pattern.compile("(?m)^ *[0-9]+ +([0-9.*]+)").matcher(output).results().map(hop -> hop.group(1))
            .toList();
    }

    @Test
    @Requirement(rfc = 5508, number = "10a")
    void tracerouteShowsTheGatewayAndTheBackbone() {
        for (final String method : List.of("--udp", "--icmp")) {
            assertThat(trace(host, EdgeNetwork.SERVER, method)).as(method)
                .containsExactly(Intent.GATEWAY, EdgeNetwork.TRANSIT, EdgeNetwork.SERVER);
        }
        assertThat(trace(host, Intent.GATEWAY)).containsExactly(Intent.GATEWAY);
        assertThat(trace(server, system.publicAddress("acme"), "-m", "2"))
            .containsExactly("198.18.0.1", EdgeNode.BACKBONE_ADDRESS);
    }

    @Test
    @Requirement(rfc = 4787, number = "13")
    @Requirement(rfc = 5508, number = {"10a", "10d"})
    void whoSendsTooMuchIsToldWhatThePathTakes() {
        narrowUplink();
        // Of the precedence of what networks need to work, and 576 bytes long.
        try (Capture errors = host.capture("icmp[0] == 3 and icmp[1] == 4 and ip[1] == 0xc0 and ip[2:2] == 576")) {
            assertThat(host.shell().attempt("ping", "-n", "-c", "1", "-W", "60", "-M", "do", "-s",
                Integer.toString(NARROW - HEADERS + 1), EdgeNetwork.SERVER).output())
                .contains("From " + Intent.GATEWAY, "(mtu = " + NARROW + ")");
            Await.until("it was captured", errors::frames, frames -> frames.size() == 1);
        }
        assertThat(host.shell().run("ip", "route", "get", EdgeNetwork.SERVER)).contains("mtu " + NARROW);
        host.shell().run("ping", "-n", "-c", "1", "-W", "60", "-M", "do", "-s", Integer.toString(NARROW - HEADERS),
            EdgeNetwork.SERVER);
    }

    @Test
    void ofAPacketThatMayBeFragmentedNobodyIsTold() {
        narrowUplink();
        final long before = outcome("not sent: too big, but fragmentation is permitted");
        assertThat(host.shell().attempt("ping", "-n", "-c", "1", "-W", "1", "-M", "dont", "-s",
            Integer.toString(NARROW), EdgeNetwork.SERVER).isGood()).isFalse();
        Await.until("it was counted", () -> outcome("not sent: too big, but fragmentation is permitted") == before + 1);
    }

    @Test
    void tcpFindsThePathOverANarrowUplink() {
        narrowUplink();
        try (Capture uplink = node.network().transit().capture("src net 203.0.113.0/24 and greater "
                + (NARROW + 15))) {
            transfer(host, server, EdgeNetwork.SERVER);
            assertThat(uplink.all()).isEmpty();
        }
        assertThat(host.shell().run("ip", "route", "get", EdgeNetwork.SERVER)).contains("mtu " + NARROW);
    }

    /** The server is told by an error that was translated, together with the packet in it. */
    @Test
    void theWorldFindsThePathToANarrowSubnet() {
        put(", 'mtu': " + NARROW);
        final String address = system.publicAddress("acme");
        server.serveTcp(SINK + 1, "SYSTEM:head -c " + (MEGABYTES << 20) + " /dev/zero");
        assertThat(host.shell().attempt(PATIENCE, "sh", "-c", "socat -u TCP4:" + EdgeNetwork.SERVER + ":" + (SINK + 1)
            + " - | wc -c").output().strip()).isEqualTo(Integer.toString(MEGABYTES << 20));
        assertThat(server.shell().run("ip", "route", "get", address)).contains("mtu " + NARROW);
    }

    private void transfer(final Host from, final Host to, final String destination) {
        to.serve("sh", "-c", "socat -u TCP4-LISTEN:" + SINK + ",reuseaddr,fork SYSTEM:'wc -c > "
            + node.file("received") + "'");
        Await.until("the sink listens", () -> to.shell().run("ss", "-Hltn", "sport = " + SINK).contains(":" + SINK));
        from.shell().run("sh", "-c", "head -c " + (MEGABYTES << 20) + " /dev/zero | socat -u - TCP4:" + destination
            + ":" + SINK);
        Await.until("all of it is there", PATIENCE, () -> Shell.PLAIN.attempt("cat", node.file("received").toString())
            .output().strip(), Integer.toString(MEGABYTES << 20)::equals);
    }

    @Test
    @Tag("deep")
    @Tag("flood")
    @Requirement(rfc = 5508, number = "10f")
    void aFloodIsBoundedByTheMeterAndEachSenderByTheController() {
        final long sent = outcome("sent");
        final long begun = System.nanoTime();
        // The queue of the host's interface takes a part of a burst only, the less the busier the machine is.
        Await.until("the meter has dropped most of what came", () -> {
            host.shell().run("/usr/bin/python3", "-c", FLOOD, EdgeNetwork.SERVER, Integer.toString(FLOOD_PACKETS));
            return meter().get("dropped-packets").getAsLong() > MOST_OF_THEM;
        });
        final long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds() + 1;
        assertThat(meter().get("passed-packets").getAsLong()).isLessThanOrEqualTo(100 + 50 * seconds);
        assertThat(outcome("sent") - sent).isPositive().isLessThanOrEqualTo(20 + 10 * seconds);
        assertThat(outcome("not sent: limit of one sender reached")).isPositive();
        host.reaches(EdgeNetwork.SERVER);
    }

    private JsonObject meter() {
        return StreamSupport.stream(system.restconf().call("limits", "{'tenant': 'acme'}").getAsJsonArray("limit")
            .spliterator(), false).map(each -> each.getAsJsonObject())
            .filter(each -> each.get("meter").getAsString().equals("error")).findFirst().orElseThrow();
    }
}
