// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Access lists in both directions with IPv6 entries, between a host and the world. */
@Tag("safety")
@OnSystem
class Acl6IT {
    private static final int VLAN = 191;
    private static final String PREFIX = "2001:db8:91:";
    private static final int WEB = 80;
    private static final int SSH = 22;
    private static final int NARROW = 1400;
    private static final int HEADERS = 48;
    private static final int ENOUGH = 20;
    private static final int SOME = 3;
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final String OUT = "ACL out6 permits no such packet";
    private static final String IN = "ACL in6 permits no such packet";
    private static final String WORLD = "'ipv6': {'destination-ipv6-network': '2001:db8:aaaa::/48'}";
    private static final String PING = "'ipv6': {'protocol': 58}, 'icmp': {'type': 128, 'code': 0}";
    private static final String PONG = "'ipv6': {'protocol': 58}, 'icmp': {'type': 129, 'code': 0}";

    /** Both ends of a connection speak all the time, and print a dot for each thing that they hear. */
    private static final String TALK = """
        import socket, sys, threading, time
        if len(sys.argv) > 1:
            link = socket.create_connection((sys.argv[1], 22))
        else:
            service = socket.create_server(("::", 22), family=socket.AF_INET6)
            print("listens", flush=True)
            link = service.accept()[0]
        def tell():
            while True:
                link.sendall(b"!")
                time.sleep(0.02)
        threading.Thread(target=tell, daemon=True).start()
        while link.recv(1):
            print(".", flush=True)
        """;
    /** Says that an echo request, of which nobody knows, was too big. The kernel adds the checksum. */
    private static final String FORGE = """
        import socket, struct, sys
        link = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
        about = struct.pack("!IHBB16s16sBBHHH", 0x60000000, 1400, 58, 64,
            socket.inet_pton(socket.AF_INET6, sys.argv[1]), socket.inet_pton(socket.AF_INET6, sys.argv[2]),
            128, 0, 0, 4711, 1)
        for _ in range(3):
            link.sendto(struct.pack("!BBHI", 2, 0, 0, 1300) + about + bytes(500), (sys.argv[1], 0))
        """;

    private final EdgeSystem system;
    private final EdgeNode node;
    private final Host host;
    private final Host server;
    private final Host transit;
    private final List<Process> programs = new ArrayList<>();
    private String address;

    Acl6IT(final EdgeSystem system) {
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
    }

    @AfterEach
    void stop() {
        programs.forEach(Shell::stop);
        Ipv6World.stop(node, host);
    }

    private static String entry(final String name, final String matches) {
        return "{'name': '%s', 'matches': {%s}, 'actions': {'forwarding': 'ietf-access-control-list:accept'}}"
            .formatted(name, matches);
    }

    private static String tcp(final int port) {
        return "'tcp': {'destination-port': {'operator': 'eq', 'port': " + port + "}}";
    }

    /** Lists of what may leave and what may come, by what their entries match. */
    private void lists(final List<String> out, final List<String> in) {
        list("out6", out);
        list("in6", in);
    }

    private void list(final String name, final List<String> matches) {
        final String entries = matches.stream().map(each -> entry("e" + matches.indexOf(each), each))
            .collect(Collectors.joining(","));
        system.restconf().put(Intent.ACLS + "/acl=" + name,
            "{'ietf-access-control-list:acl': [{'name': '%s', 'aces': {'ace': [%s]}}]}".formatted(name, entries));
    }

    private void tenant(final boolean stateful) {
        system.restconf().put(Intent.path("acme"), Intent.tenants(List.of(Intent.tenant("acme", node, VLAN,
            Intent.FIRST_POOL, "'ipv6': {'subnet': [{'prefix': '" + PREFIX + ":/64'}]}, 'egress-acl': 'out6',"
                + " 'ingress-acl': 'in6', 'stateful': " + stateful))));
        system.awaitApplied();
        Ipv6World.enable(host, Host.DEVICE);
        address = Ipv6World.address(host, PREFIX);
        host.shell().run("ip", "-6", "route", "flush", "cache");
        // By that the node knows its address, and the first packet is not lost.
        host.reaches(PREFIX + ":1");
    }

    private void run(final Host where, final String listens, final String... command) {
        programs.add(where.shell().start(node.file("program-" + System.nanoTime()), command));
        Await.until("it listens", () -> !where.shell().run("ss", "-Hltn", "sport = " + listens).isEmpty());
    }

    private void serve(final Host where, final int port) {
        run(where, Integer.toString(port), "socat", "TCP6-LISTEN:" + port + ",reuseaddr,fork",
            "SYSTEM:read line; echo welcome");
    }

    private static String askInVain(final Host from, final String to, final int port) {
        return ask(from, to, port, 2);
    }

    private static String ask(final Host from, final String to, final int port) {
        return ask(from, to, port, 60);
    }

    private static String ask(final Host from, final String to, final int port, final int seconds) {
        return from.shell().attempt("sh", "-c", "echo ? | socat -t " + seconds + " - TCP6:[" + to + "]:" + port
            + ",connect-timeout=" + seconds).output();
    }

    private static String ping(final Host from, final String to, final String... options) {
        return from.shell().attempt(Stream.of(Stream.of("ping", "-6", "-n", "-c", "1", "-W", "1"), Stream.of(options),
            Stream.of(to)).flatMap(each -> each).toArray(String[]::new)).output();
    }

    @Test
    void answersNeedNoEntryAndNobodyElseComesIn() {
        lists(List.of(WORLD + ", " + tcp(WEB), PING), List.of());
        tenant(true);
        serve(server, WEB);
        serve(server, SSH);
        serve(host, WEB);
        host.reaches(Ipv6World.SERVER);
        assertThat(ask(host, Ipv6World.SERVER, WEB)).isEqualTo("welcome");
        assertThat(askInVain(host, Ipv6World.SERVER, SSH)).contains("timed out");
        assertThat(askInVain(server, address, WEB)).contains("timed out");
        assertThat(ping(server, address)).contains("0 received");
        assertThat(system.packets("acme", OUT)).isPositive();
        assertThat(system.packets("acme", IN)).isPositive();
    }

    @Test
    void withoutStateAnswersNeedAnEntry() {
        lists(List.of(PING), List.of());
        tenant(false);
        assertThat(ping(host, Ipv6World.SERVER)).contains("0 received");
        Await.until("it is counted", () -> system.packets("acme", IN) > 0);
        lists(List.of(PING), List.of(PONG));
        system.awaitApplied();
        host.reaches(Ipv6World.SERVER);
        assertThat(ping(server, address)).contains("0 received");
    }

    /** Of routers and of the server; a forged one about nothing that was sent does not come in. */
    @Test
    void errorsAboutWhatIsPermittedPass() {
        lists(List.of("'ipv6': {'protocol': 17}", PING), List.of());
        tenant(true);
        host.reaches(Ipv6World.SERVER);
        assertThat(host.shell().attempt("sh", "-c", "echo ? | socat -t 2 - UDP6:[" + Ipv6World.SERVER + "]:9")
            .output()).contains("Connection refused");
        assertThat(ping(host, Ipv6World.SERVER, "-W", "60", "-t", "2"))
            .contains("From " + Ipv6World.TRANSIT, "Time exceeded: Hop limit");
        Ipv6World.python(server, FORGE, address, Ipv6World.SERVER);
        Await.until("they are counted", () -> system.packets("acme", IN) >= SOME);
        assertThat(host.shell().run("ip", "-6", "route", "get", Ipv6World.SERVER)).doesNotContain("mtu");

        transit.shell().run("ip", "link", "set", "dev", "eth1", "mtu", Integer.toString(NARROW));
        assertThat(ping(host, Ipv6World.SERVER, "-W", "60", "-M", "do", "-s", Integer.toString(NARROW + 1 - HEADERS)))
            .contains("From " + Ipv6World.TRANSIT, "Packet too big: mtu=" + NARROW);
        assertThat(host.shell().run("ip", "-6", "route", "get", Ipv6World.SERVER)).contains("mtu " + NARROW);
    }

    /** What this node itself has to say of a packet comes in by the same list, when its backbone says it. */
    @Test
    void ourOwnErrorsPassToo() {
        Ipv6World.backbone(system, node, "2001:db8:aaaa::/48");
        lists(List.of(PING), List.of());
        tenant(true);
        assertThat(ping(host, Ipv6World.SERVER, "-W", "60", "-t", "1")).contains("Time exceeded: Hop limit");
        assertThat(ping(host, "2001:db8:dead::1", "-W", "60"))
            .contains("From " + Ipv6World.BACKBONE, "Destination unreachable: No route");
    }

    @Test
    void whatIsRevokedIsCutInBothDirections() {
        final String ssh = "'ipv6': {'source-ipv6-network': '" + Ipv6World.SERVER + "/128'}, " + tcp(SSH);
        lists(List.of(), List.of(ssh));
        tenant(true);
        run(host, Integer.toString(SSH), "/usr/bin/python3", "-c", TALK);
        assertThat(askInVain(transit, address, SSH)).as("another than the server").contains("timed out");
        try (Capture atHost = host.capture("tcp port " + SSH + " and src host " + Ipv6World.SERVER);
                Capture atServer = server.capture("tcp port " + SSH + " and src host " + address)) {
            programs.add(server.shell().start(node.file("talk"), "/usr/bin/python3", "-c", TALK, address));
            Await.until("they talk", PATIENCE, () -> atHost.frames().size() > ENOUGH
                && atServer.frames().size() > ENOUGH);
            lists(List.of(), List.of("'ipv6': {'source-ipv6-network': '2001:db8:bbbb::/48'}, " + tcp(SSH)));
            system.awaitApplied();
            node.settle();
            awaitMore(OUT);
            awaitMore(IN);
            // What was under way has arrived.
            final List<Integer> before = List.of(atHost.all().size(), atServer.all().size());
            awaitMore(OUT);
            awaitMore(IN);
            assertThat(List.of(atHost.all().size(), atServer.all().size())).isEqualTo(before);
            // They have not given up.
            lists(List.of(), List.of(ssh));
            Await.until("they talk again", PATIENCE, () -> atHost.frames().size() > before.get(0) + ENOUGH
                && atServer.frames().size() > before.get(1) + ENOUGH);
        }
    }

    /** One packet: hosts repeat what is lost after ever longer times. */
    private void awaitMore(final String label) {
        final long before = system.packets("acme", label);
        Await.until("more is dropped: " + label, PATIENCE, () -> system.packets("acme", label) > before);
    }
}
