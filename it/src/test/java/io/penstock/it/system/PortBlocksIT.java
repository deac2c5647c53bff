// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.it.Datagrams;
import io.penstock.it.Requirement;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Subscribers who get blocks of ports when they need them: three blocks of 16 at most, of one public address. */
@Tag("safety")
@OnSystem
class PortBlocksIT {
    private static final int VLAN = 300;
    private static final int SIZE = 16;
    private static final int MOST = 3;
    private static final int ECHO = 7007;
    private static final String PUBLIC = "198.18.7.7";
    private static final String NAT = """
        {'port-block': [{'inside-prefix': '10.0.0.0/24', 'public-prefix': '%s/32', 'block-size': %d,
         'most-blocks': %d}]}""".formatted(PUBLIC, SIZE, MOST);
    /** Prints what comes to a port as hexadecimal digits, a datagram a line. */
    private static final String COLLECTOR = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("127.0.0.1", int(sys.argv[1])))
        print("ready", flush=True)
        while True:
            print(link.recv(65535).hex(), flush=True)
        """;
    private static final String ENTRY = Intent.path("city") + "/nat/port-block=10.0.0.0%2F24";
    private static final Duration PATIENCE = Await.PATIENCE;

    private final EdgeSystem system;
    private final EdgeNode node;
    private final Host host;

    PortBlocksIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
        host = node.host(VLAN);
    }

    @BeforeEach
    void configure() {
        system.reset();
        node.network().transit().route(PUBLIC + "/32", EdgeNode.BACKBONE_ADDRESS);
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", List.of(
            Intent.translated(Intent.tenant("city", node, VLAN, Intent.FIRST_POOL), NAT))));
        system.awaitApplied();
        system.awaitSync();
    }

    /** First ports of the blocks that are stored for 10.0.0.5, in the order in which it got them. */
    private List<Integer> blocks() {
        final JsonObject city = StreamSupport.stream(JsonParser.parseString(system.allocations()).getAsJsonObject()
            .getAsJsonObject("penstock-allocation:allocations").getAsJsonArray("tenant").spliterator(), false)
            .map(each -> each.getAsJsonObject()).filter(each -> each.get("name").getAsString().equals("city"))
            .findFirst().orElseThrow();
        return !city.has("block") ? List.of() : StreamSupport.stream(city.getAsJsonArray("block").spliterator(), false)
            .map(each -> each.getAsJsonObject())
            .filter(each -> each.get("subscriber").getAsString().equals("10.0.0.5"))
            .sorted((one, other) -> one.get("number").getAsInt() - other.get("number").getAsInt())
            .map(each -> each.get("first-port").getAsInt()).toList();
    }

    private String owner(final int port, final Instant moment) {
        return Shell.PLAIN.run(ControllerUnderTest.ROOT.resolve("penstock").toString(), "nat-owner", PUBLIC,
            Integer.toString(port), "--at", moment.toString(), "--directory",
            system.controller().natJournal().toString());
    }

    @Test
    @Requirement(rfc = 6888, number = {"2", "4", "4a", "11a", "13"})
    void blocksComeWithThePacketsThatNeedThem() {
        Datagrams.echo(node.network().server(), ECHO);
        assertThat(blocks()).isEmpty();
        try (Capture uplink = node.network().transit().capture("src net 10.0.0.0/8")) {
            Await.until("the first packets get a block", PATIENCE,
                () -> Datagrams.answeredSoon(host, EdgeNetwork.SERVER, ECHO, 1), count -> count == 1);
            assertThat(blocks()).hasSize(1);
            assertThat(owner(blocks().get(0), Instant.now())).startsWith("tenant city")
                .contains("10.0.0.5", "by port-block");
            Await.until("more connections get more blocks", PATIENCE,
                () -> Datagrams.answeredSoon(host, EdgeNetwork.SERVER, ECHO, 2 * SIZE + 2),
                count -> count == 2 * SIZE + 2);
            assertThat(blocks()).hasSize(MOST).doesNotHaveDuplicates();
            assertThat(Datagrams.answered(host, EdgeNetwork.SERVER, ECHO, 5 * SIZE))
                .isBetween(2 * SIZE + 2, MOST * SIZE);
            assertThat(system.packets("city", "every port block of a subscriber of 10.0.0.0/24 is full")).isPositive();
            assertThat(uplink.all()).isEmpty();
        }
    }

    @Test
    void aForcedChangeEndsTheConnectionsOfTheBlocksItTakes() {
        Datagrams.echo(node.network().server(), ECHO);
        Await.until("the first packets get a block", PATIENCE,
            () -> Datagrams.answeredSoon(host, EdgeNetwork.SERVER, ECHO, 1), count -> count == 1);
        node.openSessions();
        assertThat(Datagrams.echoed(host, EdgeNetwork.SERVER, ECHO, 300, 64, "0.01")).isEqualTo("300");
        final int vrf = system.vrf("city");
        assertThat(node.connections(vrf)).isNotEmpty();
        assertThat(node.hasSession(PUBLIC)).as("a session of the block").isTrue();
        assertThat(system.restconf().data("PATCH", ENTRY, entry(2 * SIZE, "")).messages())
            .contains("block-size: the change takes 1 port block from 1 subscriber and ends their connections");
        system.restconf().patch(ENTRY, entry(2 * SIZE, ", 'force': true"));
        system.awaitApplied();
        assertThat(blocks()).isEmpty();
        Await.until("no connection is left", () -> node.connections(vrf), List::isEmpty);
        assertThat(node.hasSession(PUBLIC)).as("a session of the block").isFalse();
        Await.until("a larger block", PATIENCE, () -> Datagrams.answeredSoon(host, EdgeNetwork.SERVER, ECHO, 2 * SIZE),
            count -> count == 2 * SIZE);
        assertThat(blocks()).hasSize(1);
    }

    private static String entry(final int size, final String more) {
        return "{'penstock:port-block': [{'inside-prefix': '10.0.0.0/24', 'block-size': %d%s}]}".formatted(size, more);
    }

    @Test
    @Requirement(rfc = 6888, number = {"12", "14"})
    void collectorsHearOfIt() {
        final Path syslog = node.file("syslog-" + System.nanoTime());
        final Path ipfix = node.file("ipfix-" + System.nanoTime());
        final List<Process> collectors = List.of(collect(ControllerUnderTest.SYSLOG, syslog),
            collect(ControllerUnderTest.IPFIX, ipfix));
        try {
            Await.until("the collectors listen", () -> lines(syslog).size() == 1 && lines(ipfix).size() == 1);
            Await.until("it has a block", PATIENCE, () -> {
                host.ping(EdgeNetwork.SERVER, 1);
                return blocks();
            }, found -> !found.isEmpty());
            final int port = blocks().get(0);
            Await.until("IPFIX", () -> lines(ipfix), found -> found.stream().anyMatch(line -> line.endsWith(
                "10" + "%08x".formatted(system.vrf("city")) + "0a000005" + "c6120707" + "%04x%04x".formatted(port,
                    port + SIZE - 1) + "04" + HexFormat.of().formatHex("city".getBytes(StandardCharsets.UTF_8)))));
            Await.until("syslog", () -> lines(syslog), found -> found.stream().skip(1)
                .map(line -> new String(HexFormat.of().parseHex(line), StandardCharsets.UTF_8))
                .anyMatch(line -> line.startsWith("<133>1 20") && line.contains("inside=\"10.0.0.5/32\"")
                    && line.contains("first-port=\"" + port + "\"")));
        } finally {
            collectors.forEach(Shell::stop);
        }
    }

    private Process collect(final int port, final Path file) {
        return system.controller().namespace().shell().start(file, "/usr/bin/python3", "-c", COLLECTOR,
            Integer.toString(port));
    }

    private static List<String> lines(final Path file) {
        try {
            final String text = Files.readString(file);
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aPrefixThatIsGivenUpTakesItsBlocksAlong() {
        Await.until("it has a block", PATIENCE, () -> {
            host.ping(EdgeNetwork.SERVER, 1);
            return blocks();
        }, found -> !found.isEmpty());
        final int port = blocks().get(0);
        final Instant held = Instant.now();
        system.restconf().put(Intent.path("city"), Intent.tenants(List.of(
            Intent.tenant("city", node, VLAN, Intent.FIRST_POOL))));
        system.awaitSync();
        assertThat(blocks()).isEmpty();
        assertThat(Stream.of(owner(port, held).split("\n"))).allSatisfy(line -> assertThat(line).contains(" to 20"));
    }
}
