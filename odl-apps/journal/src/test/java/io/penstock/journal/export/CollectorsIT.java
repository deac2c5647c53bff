// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.events.PoolEvent;
import io.penstock.events.QuotaEvent;
import io.penstock.journal.Assignment;
import io.penstock.journal.NatJournal;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.testkit.Await;
import io.penstock.testkit.Shell;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What Debian's collectors read is what the journal says: nfcapd of nfdump over UDP, and ipfixDump of libfixbuf, which
 * knows all elements by name, from a stream over TCP.
 */
class CollectorsIT {
    private static final int ROUNDS = 60;
    private static final Prefix PUBLIC = Prefix.parse("198.51.100.0/24");

    @TempDir
    private Path directory;
    private int datagrams;
    private int stream;

    @BeforeEach
    void choosePorts() throws IOException {
        try (DatagramSocket one = new DatagramSocket(0, InetAddress.getLoopbackAddress());
             ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            datagrams = one.getLocalPort();
            stream = other.getLocalPort();
        }
    }

    @Test
    void collectorsReadTheEventsOfTheJournal() throws IOException {
        final Path files = Files.createDirectory(directory.resolve("nfcapd"));
        final Path received = directory.resolve("received.ipfix");
        final Process nfcapd = Shell.PLAIN.start(directory.resolve("nfcapd.log"), "nfcapd", "-l", files.toString(),
            "-b", "127.0.0.1", "-p", Integer.toString(datagrams));
        final Process socat = Shell.PLAIN.start(directory.resolve("socat.log"), "socat", "-u",
            "TCP-LISTEN:" + stream + ",bind=127.0.0.1,reuseaddr", "CREATE:" + received);
        try (Exporters exporters = new Exporters(new Exporters.Addresses("",
                "127.0.0.1:" + datagrams + ", tcp:127.0.0.1:" + stream, ""), "host", Clock.systemUTC())) {
            Await.until("nfcapd listens", () -> queue().isPresent());
            final int events = tell(exporters);
            final int expected = journal().size() + events;
            Await.until("all is sent", () -> exporters.counts().stream().allMatch(each -> each.sent() == expected));
            assertThat(exporters.counts()).hasSize(2).allMatch(each -> each.lost() == 0);
            Await.until("all is received over TCP", () -> dumped(received).size() == expected);
            Await.until("nfcapd has read its socket", () -> queue().equals(Optional.of(0L)));
        } finally {
            nfcapd.destroy();
            nfcapd.onExit().join();
            Shell.stop(socat);
        }
        final List<String> journal = journal();
        assertThat(journal).hasSizeGreaterThan(ROUNDS).anyMatch(line -> line.startsWith("8 "))
            .anyMatch(line -> line.startsWith("9 ")).anyMatch(line -> line.startsWith("14 "))
            .anyMatch(line -> line.startsWith("15 ")).anyMatch(line -> line.startsWith("16 "))
            .anyMatch(line -> line.startsWith("17 "));
        final List<Map<String, String>> dumped = dumped(received);
        assertThat(dumped.subList(0, journal.size()).stream().map(CollectorsIT::line)).isEqualTo(journal);
        assertThat(dumped.subList(journal.size(), dumped.size()).stream().map(each -> {
            each.remove("observationTimeMilliseconds");
            return each.toString();
        })).containsExactly("{natEvent=3, natPoolName=public}",
            "{natEvent=18, natPoolName=public, natThresholdEvent=1}",
            "{natEvent=18, natPoolName=public, natThresholdEvent=2}",
            "{VRFname=red, natEvent=12, sourceIPv4Address=10.0.0.0, sourceIPv4PrefixLength=24}",
            "{VRFname=red, natEvent=13, natQuotaExceededEvent=3}");
        assertThat(collected(files).subList(0, journal.size()))
            .isEqualTo(journal.stream().map(CollectorsIT::withoutPorts).toList());
        assertThat(Shell.PLAIN.run("nfdump", "-R", files.toString(), "-q", "-o", "json"))
            .contains("\"nat_event\" : \"Port block allocation\"");
        assertThat(Shell.printed(directory.resolve("nfcapd.log"))).contains("Sequence Errors: 0, Bad Packets: 0");
    }

    /** Writes random changes into a journal, and then some events; gives the number of these. */
    private int tell(final Exporters exporters) {
        final Random random = new Random(8158);
        Set<Assignment> held = new LinkedHashSet<>();
        try (NatJournal journal = new NatJournal(directory.resolve("journal"), Clock.systemUTC())) {
            for (int round = 0; round < ROUNDS; round++) {
                final Set<Assignment> next = new LinkedHashSet<>(held.stream().filter(each -> random.nextBoolean())
                    .toList());
                for (int more = random.nextInt(8); more > 0; more--) {
                    next.add(any(random));
                }
                exporters.tell(journal.record(next));
                held = next;
            }
            exporters.tell(journal.record(Set.of()));
        }
        final PoolEvent.OfPool pool = new PoolEvent.OfPool("public");
        final List<PoolEvent.Kind> kinds = List.of(PoolEvent.Kind.EXHAUSTED, PoolEvent.Kind.AVAILABLE,
            PoolEvent.Kind.HIGH_THRESHOLD, PoolEvent.Kind.LOW_THRESHOLD, PoolEvent.Kind.DRAINED);
        kinds.forEach(kind -> exporters.tell(new PoolEvent(kind, pool, Optional.empty(), 8, 8)));
        kinds.forEach(kind -> exporters.tell(new PoolEvent(kind, new PoolEvent.OfPortBlock("red",
            Prefix.parse("10.0.0.0/24")), Optional.empty(), 8, 8)));
        Stream.of("sessions", "out").forEach(quota -> Stream.of(true, false).forEach(begins ->
            exporters.tell(new QuotaEvent(begins, "red", "edge1", quota))));
        return 5;
    }

    private static Assignment any(final Random random) {
        final int tenant = 1 + random.nextInt(65000);
        final Prefix outside = Prefix.host(PUBLIC.address().plus(random.nextInt(256)));
        final Prefix inside = Prefix.host(Ipv4.parse("10.0.0.0").plus(random.nextInt(1 << 16)));
        final int port = 1024 * (1 + random.nextInt(63));
        final String name = "tenant-" + "x".repeat(random.nextInt(40)) + tenant;
        return switch (random.nextInt(4)) {
            case 0 -> new Assignment(name, tenant, Assignment.SOURCE, Optional.empty(), outside, Optional.empty(),
                Optional.empty());
            case 1 -> new Assignment(name, tenant, "one-to-one", Optional.of(inside), outside, Optional.empty(),
                Optional.empty());
            case 2 -> new Assignment(name, tenant, Assignment.PORT_FORWARD, Optional.of(inside), outside,
                Optional.empty(), Optional.of(new Assignment.Forwarded(random.nextBoolean() ? 6 : 17, port,
                    1 + random.nextInt(65535))));
            default -> new Assignment(name, tenant, Assignment.PORT_BLOCK, Optional.of(inside), outside,
                Optional.of(new Assignment.Blocks(port, 1024)), Optional.empty());
        };
    }

    /** The lines of the files, as {@link #line} would write them. */
    private List<String> journal() throws IOException {
        try (Stream<Path> segments = Files.list(directory.resolve("journal"))) {
            final List<String> lines = new ArrayList<>();
            for (final Path segment : segments.sorted().toList()) {
                lines.addAll(Files.readAllLines(segment));
            }
            return lines.stream().map(line -> JsonParser.parseString(line).getAsJsonObject())
                .filter(each -> each.has("tenant")).map(CollectorsIT::event).toList();
        }
    }

    private static String event(final JsonObject entry) {
        final String kind = entry.get("kind").getAsString();
        final int begin = kind.equals("port-block") ? 16 : kind.equals("port-forward") ? 8 : 14;
        final String[] inside = (entry.has("inside") ? entry.get("inside").getAsString() : "0.0.0.0/0").split("/");
        final String more = switch (begin) {
            case 16 -> entry.get("first-port").getAsInt() + "-"
                + (entry.get("first-port").getAsInt() + entry.get("block-size").getAsInt() - 1);
            case 8 -> (entry.get("protocol").getAsString().equals("tcp") ? 6 : 17) + ":"
                + entry.get("inside-port").getAsInt() + ":" + entry.get("public-port").getAsInt();
            default -> "/" + inside[1];
        };
        return String.join(" ", Integer.toString(begin + (entry.get("event").getAsString().equals("released") ? 1 : 0)),
            Instant.parse(entry.get("time").getAsString()).toString(), entry.get("vrf").getAsString(), inside[0],
            entry.get("public").getAsString().split("/")[0], entry.get("tenant").getAsString(), more);
    }

    private static String line(final Map<String, String> record) {
        final String more = record.containsKey("portRangeStart")
            ? record.get("portRangeStart") + "-" + record.get("portRangeEnd")
            : record.containsKey("protocolIdentifier") ? record.get("protocolIdentifier") + ":"
                + record.get("sourceTransportPort") + ":" + record.get("postNAPTSourceTransportPort")
            : "/" + record.get("sourceIPv4PrefixLength");
        return String.join(" ", record.get("natEvent"),
            Instant.parse(record.get("observationTimeMilliseconds").replace(' ', 'T') + "Z").toString(),
            record.get("ingressVRFID"), record.get("sourceIPv4Address"), record.get("postNATSourceIPv4Address"),
            record.get("VRFname"), more);
    }

    private static String withoutPorts(final String line) {
        return String.join(" ", List.of(line.split(" ")).subList(0, 5));
    }

    /** What ipfixDump shows of a file: the values by element. */
    private static List<Map<String, String>> dumped(final Path file) {
        final List<Map<String, String>> records = new ArrayList<>();
        if (!Files.exists(file)) {
            return records;
        }
        Shell.PLAIN.attempt("ipfixDump", "--data", "--in", file.toString()).output().lines().forEach(line -> {
            if (line.startsWith("--- data record")) {
                records.add(new TreeMap<>());
            } else if (line.matches("\\s*\\(\\d+\\).* : .*")) {
                final String[] parts = line.split(" : ", 2);
                records.get(records.size() - 1).put(parts[0].replaceAll("\\s*\\(\\d+\\)\\s*", ""),
                    parts[1].replaceAll("^\\(len: \\d+\\) ", ""));
            }
        });
        return records;
    }

    /** What nfdump shows of the files of nfcapd. */
    private static List<String> collected(final Path files) {
        final String text = Shell.PLAIN.run("nfdump", "-R", files.toString(), "-q", "-o", "json").strip();
        final JsonArray records = JsonParser.parseString("[" + text.replaceAll("^\\[|,?\\s*\\]?$", "") + "]")
            .getAsJsonArray();
        return StreamSupport.stream(records.spliterator(), false).map(each -> each.getAsJsonObject())
            .map(each -> String.join(" ", text(each, "nat_event_id"), instant(text(each, "t_event")).toString(),
                text(each, "ingress_vrf"), text(each, "src4_addr"), text(each, "src4_xlt_ip"))).toList();
    }

    /** nfdump 1.7.1 writes the milliseconds without leading zeros: ".7" are seven. */
    private static Instant instant(final String time) {
        final String[] parts = time.split("\\.");
        return LocalDateTime.parse(parts[0]).atZone(ZoneId.systemDefault()).toInstant()
            .plusMillis(Long.parseLong(parts[1]));
    }

    private static String text(final JsonObject record, final String member) {
        return record.has(member) ? record.get(member).getAsString() : "0";
    }

    /** Bytes that wait in the socket of nfcapd; empty before it listens. */
    private Optional<Long> queue() {
        try {
            final String socket = String.format(Locale.ROOT, "0100007F:%04X", datagrams);
            return Files.readAllLines(Path.of("/proc/net/udp")).stream().map(line -> line.strip().split("\\s+"))
                .filter(words -> words[1].equals(socket))
                .map(words -> Long.parseLong(words[4].substring(words[4].indexOf(':') + 1), 16)).findFirst();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
