// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Hosts of eight tenants send malformed packets, each of another kind, so many that ten thousand of each kind come to
 * what parses them, as that counts them itself. Everything goes on, every packet is accounted for, and another tenant
 * sees none of them.
 */
@Tag("safety")
@Tag("deep")
@Tag("fuzz")
@Tag("hostile")
@OnSystem
class FuzzIT {
    private static final int FIRST_VLAN = 860;
    private static final int CALM_VLAN = 880;
    private static final int BESIDE_VLAN = 881;
    private static final int LEAST = 10_000;
    private static final int SEED = Integer.getInteger("frames.seed", (int) (System.nanoTime() & 0xffffff));
    /** On a busy machine the first round may not be enough. */
    private static final int ROUNDS = 4;
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final String WEB = "www.corp.example";
    private static final String WEB_ADDRESS = "10.0.0.80";
    /** Counters of the kernel for datagrams that came to the resolvers, by whether a program has read them. */
    private static final String DATAGRAMS = """
        counters = {}
        for file in ("/proc/net/snmp", "/proc/net/netstat"):
            lines = open(file).read().splitlines()
            for names, values in zip(lines[::2], lines[1::2]):
                counters.update(zip((names.split()[0] + name for name in names.split()[1:]), values.split()[1:]))
        refused = ("Ip:InHdrErrors", "Ip:InAddrErrors", "Ip:InDiscards", "Ip:ReasmReqds", "IpExt:InTruncatedPkts",
                   "Ip:InUnknownProtos", "Udp:NoPorts", "Udp:InErrors")
        print(counters["Udp:InDatagrams"], sum(int(counters[name]) for name in refused))
        """;

    /**
     * Router advertisements and redirects, not of the gateway, to which a host listens if their checksums are right
     * (RFC 4861, sections 6.1.2 and 8.1). Of shorter ones the switch sees no type.
     */
    private static final String OF_ROUTERS = "ip6[6] == 58 and ip6[7] == 255 and ip6[41] == 0 and ip6[8:2] == 0xfe80 "
        + "and not ether src 02:50:53:00:00:01 and len >= 54 + ip6[4:2] "
        + "and ((ip6[40] == 134 and ip6[4:2] >= 16) or (ip6[40] == 137 and ip6[4:2] >= 40))";

    private final EdgeSystem system;
    private final EdgeNode node;
    @TempDir
    private Path directory;

    /**
     * What is sent. Rates are below those of the meters: ARP and neighbour discovery have 500 a second and twice as
     * many at once, what goes to the controller has what {@code controller-packets} says.
     */
    private enum Kind {
        DHCP(11_500, 650), DNS(11_500, 650), ARP(10_500, 520), ND(11_500, 530), RA(11_500, 650), RS(12_500, 650),
        DHCPV6(11_500, 650), ERROR(14_000, 800);

        private final int count;
        private final int rate;

        Kind(final int count, final int rate) {
            this.count = count;
            this.rate = rate;
        }

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        int vlan() {
            return FIRST_VLAN + ordinal();
        }

        String prefix() {
            return "2001:db8:" + vlan() + "::";
        }
    }

    /** Datagrams that resolvers have read, and those that the kernel refused. */
    private record Datagrams(long read, long refused) { }

    FuzzIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void start() throws IOException {
        system.reset();
        final List<String> tenants = new ArrayList<>();
        for (final Kind kind : Kind.values()) {
            tenants.add(tenant(kind.text(), kind.vlan(), kind.prefix()));
        }
        tenants.add(tenant("calm", CALM_VLAN, "2001:db8:880::"));
        // The domain of router advertisements has a second attachment, or nothing would be forwarded in it.
        tenants.set(Kind.RA.ordinal(), tenants.get(Kind.RA.ordinal()).replace("'attachment': [",
            "'attachment': [{'name': 'beside', 'node': '" + node.name() + "', 'port': '" + EdgeNode.ACCESS
                + "', 'vlan': " + BESIDE_VLAN + "}, "));
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", tenants));
        system.awaitApplied();
        try (InputStream program = FuzzIT.class.getResourceAsStream("/fuzzer.py")) {
            Files.copy(program, fuzzer());
        }
    }

    private String tenant(final String name, final int vlan, final String prefix) {
        return Intent.tenant(name, node, vlan, Intent.FIRST_POOL, """
            'dhcp': {'conflict-probe': 0, 'subnet': [{'prefix': '10.0.0.0/24',
                     'pool': [{'first': '10.0.0.100', 'last': '10.0.0.199'}]}]},
            'dns': {'domain': 'corp.example', 'queries-per-second': 100000,
                    'record': [{'name': 'www', 'type': 'A', 'data': '%s'}]},
            'ipv6': {'subnet': [{'prefix': '%s/64'}]}, 'quota': {'controller-packets': 1000}"""
            .formatted(WEB_ADDRESS, prefix));
    }

    private Path fuzzer() {
        return directory.resolve("fuzzer.py");
    }

    private Host host(final Kind kind) {
        return node.host(kind.vlan());
    }

    @Test
    void malformedPacketsDoNoHarmAndAreAllAccountedFor() {
        Figures.tell("malformed packets, seed", Integer.toString(SEED));
        final Host calm = node.host(CALM_VLAN);
        new DhcpClient(node.network().host(EdgeNode.ACCESS, CALM_VLAN)).udhcpc();
        final long leases = leases();
        assertThat(leases).as("a lease is seen as one").isPositive();
        for (final Kind kind : Kind.values()) {
            host(kind).reaches(Intent.GATEWAY);
        }
        final Host beside = node.network().host(EdgeNode.ACCESS, BESIDE_VLAN, "10.0.0.6/24", Intent.GATEWAY);
        final String ofFuzzers = Stream.of(Kind.values()).map(kind -> "ether src " + host(kind).mac())
            .collect(Collectors.joining(" or "));
        try (Capture here = calm.capture(ofFuzzers); Capture bridged = beside.capture(ofFuzzers);
                Capture sent = host(Kind.RA).capture(OF_ROUTERS); Capture heard = beside.capture(OF_ROUTERS);
                PingStream pings = new PingStream(node, calm, EdgeNetwork.SERVER)) {
            host(Kind.RA).reaches(beside.address());
            Await.until("the filter fits frames of a fuzzing host", bridged::frames, frames -> !frames.isEmpty());
            pings.awaitMore();
            allAreAccountedFor();
            pings.awaitMore();
            // All are behind one cable, which loses frames on a machine without time for it: of this tenant too.
            assertThat(pings.lost()).as("pings of the calm tenant without an answer")
                .isLessThan(pings.replies().size() / 20);
            host(Kind.RA).reaches(beside.address());
            assertThat(sent.all()).as("the filter fits what is sent").hasSizeGreaterThan(LEAST / 10);
            assertThat(heard.all()).as("on the link, of a host that is no router").isEmpty();
            assertThat(here.all()).as("frames in another tenant").isEmpty();
        }
        assertThat(leases()).as("leases of malformed messages").isEqualTo(leases);
        for (final Kind kind : Kind.values()) {
            host(kind).reaches(EdgeNetwork.SERVER);
        }
        assertThat(calm.shell().run("dig", "+short", "+tries=3", "@" + Intent.GATEWAY, WEB)).isEqualTo(WEB_ADDRESS);
        system.awaitSync();
    }

    private void allAreAccountedFor() {
        final Set<String> resolvers = resolvers();
        assertThat(resolvers).hasSizeGreaterThan(Kind.values().length);
        final Datagrams before = datagrams();
        final Ledger ledger = new Ledger(system);
        final Map<Kind, Integer> sent = new EnumMap<>(Kind.class);
        Ledger.Reading counted = null;
        for (int round = 0; round < ROUNDS && (counted == null || !missing(counted).isEmpty()); round++) {
            // A switch drops what its connection to the controller does not take, and counts it. It is sent once more.
            sendAll(counted == null ? List.of(Kind.values()) : missing(counted), SEED + round)
                .forEach((kind, count) -> sent.merge(kind, count, Integer::sum));
            counted = ledger.balanced(PATIENCE);
        }
        assertThat(counted.failed()).as("packets on which a service failed").isZero();
        for (final Kind kind : Kind.values()) {
            // The cable may lose some on a machine without time for it, which no counter of the node can show.
            final long taken = counted.packets(Table.CLASSIFY, vrf(kind), label -> label.endsWith("from lan"));
            assertThat(taken).as("what the switch took of " + kind).isBetween((long) LEAST, (long) sent.get(kind));
            final long came = parsed(kind, counted);
            Figures.tell("fuzz " + kind.text(), "sent " + sent.get(kind) + ", the switch took " + taken + ", " + came
                + " came to their parser");
            assertThat(came).as("what came to the parser of " + kind).isGreaterThanOrEqualTo(LEAST);
        }
        assertThat(List.of(counted.service("ipv6-request", "taken"), counted.service("ipv6-request", "malformed"),
            counted.service("icmp-error", "taken"), counted.messages(Kind.DHCP.text(), "dropped: malformed"),
            counted.messages(Kind.DHCP.text(), "discover: offer"))).as("both answered and refused")
            .allMatch(count -> count > LEAST / 100);
        final Datagrams after = datagrams();
        assertThat(after.read() - before.read()).as("queries that a resolver has read").isGreaterThanOrEqualTo(LEAST);
        assertThat(after.read() - before.read() + after.refused() - before.refused()).as("queries")
            .isEqualTo(queries(counted));
        assertThat(resolvers()).as("processes of resolvers").isEqualTo(resolvers);
    }

    /** What the parser of a kind has counted. Flows count what the switch parses: ARP, neighbour discovery. */
    private long parsed(final Kind kind, final Ledger.Reading counted) {
        return switch (kind) {
            case DHCP -> counted.messages(kind.text());
            case DNS -> queries(counted);
            case ARP -> counted.packets(Table.ACCESS_GUARD, vrf(kind), label -> true);
            case ND -> counted.packets(Table.ND_GUARD, vrf(kind), label -> true);
            case RA -> counted.packets(Table.L2_FORWARD, vrf(kind), label -> label.endsWith("of a host on lan"));
            // One service for both, so of each it may have got at least what is not of the other one.
            case RS -> counted.service("ipv6-request") - requests(Kind.DHCPV6, counted);
            case DHCPV6 -> counted.service("ipv6-request") - requests(Kind.RS, counted);
            case ERROR -> counted.service("icmp-error");
        };
    }

    private long requests(final Kind kind, final Ledger.Reading counted) {
        return counted.packets(Table.IPV6_REQUEST, vrf(kind), label -> true);
    }

    private long queries(final Ledger.Reading counted) {
        return counted.packets(Table.GATEWAY, vrf(Kind.DNS), label -> label.startsWith("query to the gateway"));
    }

    private int vrf(final Kind kind) {
        return system.vrf(kind.text());
    }

    /** Kinds of which too few have come to their parser. */
    private List<Kind> missing(final Ledger.Reading counted) {
        return Stream.of(Kind.values()).filter(kind -> parsed(kind, counted) < LEAST).toList();
    }

    /** Some kinds at once; how many frames each host has sent. */
    private Map<Kind, Integer> sendAll(final List<Kind> kinds, final int seed) {
        final Map<Kind, Process> senders = new EnumMap<>(Kind.class);
        try {
            for (final Kind kind : kinds) {
                // Kernels must not answer in between: only what is malformed is counted.
                host(kind).shell().run("ip", "link", "set", "dev", Host.DEVICE, "arp", "off");
                senders.put(kind, host(kind).shell().start(printed(kind), "/usr/bin/python3", fuzzer().toString(),
                    Host.DEVICE, kind.text(), Integer.toString(kind.count), Integer.toString(kind.rate),
                    Integer.toString(seed), Intent.GATEWAY, kind.prefix()));
            }
            Await.until("all is sent", PATIENCE, () -> senders.values().stream().noneMatch(Process::isAlive));
            return senders.keySet().stream().collect(Collectors.toMap(kind -> kind,
                kind -> Integer.valueOf(Shell.printed(printed(kind)).strip())));
        } finally {
            senders.forEach((kind, sender) -> {
                Shell.stop(sender);
                host(kind).shell().run("ip", "link", "set", "dev", Host.DEVICE, "arp", "on");
            });
        }
    }

    private Path printed(final Kind kind) {
        return directory.resolve(kind.text());
    }

    private Datagrams datagrams() {
        final String[] counts = node.inResolvers("/usr/bin/python3", "-c", DATAGRAMS).strip().split(" ");
        return new Datagrams(Long.parseLong(counts[0]), Long.parseLong(counts[1]));
    }

    /** Process ids of the resolvers: one that is started again has another. */
    private Set<String> resolvers() {
        return node.resolvers();
    }

    /** Bound leases of all tenants. */
    private long leases() {
        return system.allocations().split("\"bound\"", -1).length - 1L;
    }
}
