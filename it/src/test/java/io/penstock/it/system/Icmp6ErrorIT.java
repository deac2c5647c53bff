// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What routers tell senders of IPv6 packets (RFC 4443, RFC 8201), as Linux understands it. */
@OnSystem
class Icmp6ErrorIT {
    /** Of its own, since hosts remember what they were told of a path. */
    private static final int VLAN = 190;
    private static final String PREFIX = "2001:db8:90:";
    private static final String GATEWAY = PREFIX + ":1";
    private static final String NOWHERE = "2001:db8:dead::1";
    private static final int NARROW = 1400;
    /** Of IPv6 and of an echo request. */
    private static final int HEADERS = 48;
    private static final int PORT = 9006;
    private static final int BYTES = 2 << 20;
    private static final int FLOOD_PACKETS = 20_000;
    private static final int MOST_OF_THEM = 1000;
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final String FLOOD = """
        import socket, sys
        s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, 1)
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
    private final Host transit;
    private String address;

    Icmp6ErrorIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
        host = node.host(VLAN);
        server = node.network().server();
        transit = node.network().transit();
    }

    @BeforeEach
    void start() {
        system.reset();
        Ipv6World.start(node);
        Ipv6World.backbone(system, node, "::/0");
        put("");
        Ipv6World.enable(host, Host.DEVICE);
        address = Ipv6World.address(host, PREFIX);
        forgetPaths();
        host.reaches(Ipv6World.SERVER);
    }

    private void put(final String subnetMore) {
        system.restconf().put(Intent.path("acme"), Intent.tenants(List.of(Intent.tenant("acme", node, VLAN,
            Intent.FIRST_POOL,
            "'ipv6': {'inbound': 'any', 'subnet': [{'prefix': '" + PREFIX + ":/64'" + subnetMore + "}]}"))));
        system.awaitApplied();
    }

    @AfterEach
    void stop() {
        Ipv6World.stop(node, host);
        forgetPaths();
    }

    private void forgetPaths() {
        List.of(host, server).forEach(each -> each.shell().run("ip", "-6", "route", "flush", "cache"));
    }

    private void narrowUplink() {
        system.restconf().patch(Intent.NETWORK + "/backbone/interface=" + node.name() + ",up0",
            "{'penstock:interface': [{'node': '%s', 'port': 'up0', 'mtu': %d}]}".formatted(node.name(), NARROW));
        system.awaitApplied();
    }

    private static String ping(final Host from, final String destination, final String... options) {
        return from.shell().attempt(Stream.of(Stream.of("ping", "-6", "-n", "-c", "1", "-W", "60"), Stream.of(options),
            Stream.of(destination)).flatMap(each -> each).toArray(String[]::new)).output();
    }

    /** One that does not arrive in one piece arrives not at all. */
    private static String whole(final Host from, final String destination, final int length) {
        return ping(from, destination, "-M", "do", "-s", Integer.toString(length - HEADERS));
    }

    private static String path(final Host from, final String destination) {
        return from.shell().run("ip", "-6", "route", "get", destination);
    }

    /** Traces and expects these hops. A failure tells which packets the host, the transit router and the server saw. */
    private void traces(final Host from, final String method, final String... hops) {
        try (Capture here = host.capture("ip6"); Capture between = transit.capture("ip6");
                Capture there = server.capture("ip6")) {
            final String output = from.shell().attempt(PATIENCE, "traceroute", "-6", "-n", "-q", "1", "-N", "1", "-w",
                "20", "-m", Integer.toString(hops.length + 2), method, hops[hops.length - 1]).output();
            final List<String> seen = Pattern.compile("(?m)^ *[0-9]+ +([0-9a-f:*]+)").matcher(output).results()
                .map(hop -> hop.group(1)).toList();
            assertThat(seen).as(() -> "%s%nhost: %s%ntransit: %s%nserver: %s".formatted(method, here.all(),
                between.all(), there.all())).containsExactly(hops);
        }
    }

    @Test
    void tracerouteShowsTheGatewayAndTheBackbone() {
        assertThat(ping(host, Ipv6World.SERVER, "-t", "1")).contains("From " + GATEWAY, "Time exceeded: Hop limit");
        for (final String method : List.of("--udp", "--icmp")) {
            traces(host, method, GATEWAY, Ipv6World.TRANSIT, Ipv6World.SERVER);
            traces(server, method, Ipv6World.TRANSIT_FAR, Ipv6World.BACKBONE, address);
        }
    }

    @Test
    void whoSendsWhereNoRouteLeadsIsTold() {
        Ipv6World.backbone(system, node, "2001:db8:aaaa::/48");
        system.awaitApplied();
        Await.until("the host is told", PATIENCE, () -> ping(host, NOWHERE), output -> output
            .contains("From " + Ipv6World.BACKBONE) && output.contains("Destination unreachable: No route"));
        // A program is told of it at once, which need not wait for its own patience.
        assertThat(host.shell().attempt("socat", "-u", "/dev/null", "TCP6:[" + NOWHERE + "]:80").output())
            .contains("Network is unreachable");
    }

    @Test
    void whoSendsTooMuchIsToldWhatThePathTakes() {
        narrowUplink();
        // 1280 bytes at most, with as much of the packet as there is room for (RFC 4443, section 2.4, c).
        try (Capture errors = host.capture("icmp6 and ip6[40] == 2 and ip6[41] == 0 and ip6[4:2] == 1240")) {
            assertThat(whole(host, Ipv6World.SERVER, NARROW + 1))
                .contains("From " + GATEWAY, "Packet too big: mtu=" + NARROW);
            Await.until("it was captured", errors::frames, frames -> frames.size() == 1);
        }
        assertThat(path(host, Ipv6World.SERVER)).contains("mtu " + NARROW);
        assertThat(whole(host, Ipv6World.SERVER, NARROW)).contains("1 received");
        // What it sends now in pieces, for no router does that (RFC 8200, section 4.5).
        assertThat(ping(host, Ipv6World.SERVER, "-s", "4000")).contains("1 received");
    }

    @Test
    void tcpFindsThePathOverANarrowUplink() {
        narrowUplink();
        try (Capture uplink = transit.capture("ip6 and src net " + PREFIX + ":/64 and greater " + (NARROW + 15))) {
            final String received = transfer(host, server, Ipv6World.SERVER);
            assertThat(received).isEqualTo(Integer.toString(BYTES));
            assertThat(uplink.all()).isEmpty();
        }
        assertThat(path(host, Ipv6World.SERVER)).contains("mtu " + NARROW);
    }

    /** Bytes that arrive of all that one host sends another. */
    private String transfer(final Host from, final Host to, final String destination) {
        to.serve("sh", "-c", "socat -u TCP6-LISTEN:" + PORT + ",reuseaddr,fork SYSTEM:'wc -c > "
            + node.file("received6") + "'");
        Await.until("the sink listens", () -> to.shell().run("ss", "-Hltn", "sport = " + PORT).contains(":" + PORT));
        from.shell().run("sh", "-c", "head -c " + BYTES + " /dev/zero | socat -u - TCP6:[" + destination + "]:" + PORT);
        return Await.until("all of it is there", PATIENCE, () -> to.shell().attempt("cat",
            node.file("received6").toString()).output().strip(), Integer.toString(BYTES)::equals);
    }

    @Test
    void theWorldFindsThePathToANarrowSubnet() {
        put(", 'router-advertisement': {'mtu': " + NARROW + "}");
        assertThat(whole(server, address, NARROW + 1)).contains("From " + GATEWAY, "Packet too big: mtu=" + NARROW);
        assertThat(path(server, address)).contains("mtu " + NARROW);
        assertThat(whole(server, address, NARROW)).contains("1 received");
    }

    /** What other routers say of packets of the tenant. */
    @Test
    void errorsFromTheBackboneArrive() {
        assertThat(ping(host, NOWHERE)).contains("From " + Ipv6World.TRANSIT, "Destination unreachable: No route");
        assertThat(host.shell().attempt("sh", "-c", "echo ? | socat -t 2 - UDP6:[" + Ipv6World.SERVER + "]:9")
            .output()).contains("Connection refused");
        transit.shell().run("ip", "link", "set", "dev", "eth1", "mtu", Integer.toString(NARROW));
        assertThat(whole(host, Ipv6World.SERVER, NARROW + 1))
            .contains("From " + Ipv6World.TRANSIT, "Packet too big: mtu=" + NARROW);
        assertThat(path(host, Ipv6World.SERVER)).contains("mtu " + NARROW);
        assertThat(whole(host, Ipv6World.SERVER, NARROW)).contains("1 received");
    }

    @Test
    @Tag("deep")
    @Tag("flood")
    void aFloodIsBoundedByTheMeterAndEachSenderByTheController() {
        final long sent = outcome("sent");
        final long begun = System.nanoTime();
        Ipv6World.python(host, FLOOD, Ipv6World.SERVER, Integer.toString(FLOOD_PACKETS));
        // The customer's switch does not take all of it.
        Await.until("the meter has dropped most of what came", () -> meter().get("dropped-packets").getAsLong()
            > MOST_OF_THEM);
        final long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds() + 1;
        assertThat(meter().get("passed-packets").getAsLong()).isLessThanOrEqualTo(100 + 50 * seconds);
        assertThat(outcome("sent") - sent).isPositive().isLessThanOrEqualTo(20 + 10 * seconds);
        assertThat(outcome("not sent: limit of one sender reached")).isPositive();
        host.reaches(Ipv6World.SERVER);
    }

    private long outcome(final String text) {
        return find(system.restconf().call("status", "{}").getAsJsonObject("controller").getAsJsonArray("icmp-error"),
            "outcome", text).get("packets").getAsLong();
    }

    private JsonObject meter() {
        return find(system.restconf().call("limits", "{'tenant': 'acme'}").getAsJsonArray("limit"), "meter", "error");
    }

    private static JsonObject find(final JsonArray list, final String leaf, final String value) {
        return StreamSupport.stream(list.spliterator(), false).map(each -> each.getAsJsonObject())
            .filter(each -> each.get(leaf).getAsString().equals(value)).findFirst().orElseThrow();
    }
}
