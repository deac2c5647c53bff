// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.base.chain.Line;
import io.penstock.base.chain.Segments;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.testkit.ManualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("safety")
class NatJournalTest {
    private static final Instant START = Instant.parse("2026-11-21T10:00:00Z");

    @TempDir
    private Path directory;
    private final ManualClock clock = new ManualClock(START);

    private static Assignment source(final int tenant) {
        return new Assignment("t" + tenant, tenant + 1, Assignment.SOURCE, Optional.empty(),
            Prefix.host(new Ipv4(0xcb007100L + tenant)), Optional.empty(), Optional.empty());
    }

    private static Set<Assignment> of(final int... tenants) {
        final Set<Assignment> all = new LinkedHashSet<>();
        IntStream.of(tenants).forEach(tenant -> all.add(source(tenant)));
        return all;
    }

    private static final Assignment FORWARD = new Assignment("t1", 2, Assignment.PORT_FORWARD,
        Optional.of(Prefix.parse("10.0.0.20/32")), Prefix.parse("203.0.113.1/32"), Optional.empty(),
        Optional.of(new Assignment.Forwarded(6, 80, 8080)));
    private static final Assignment SHARED = new Assignment("Łódź \"1\"", 9, "deterministic",
        Optional.of(Prefix.parse("10.1.0.0/24")), Prefix.parse("198.51.100.0/30"),
        Optional.of(new Assignment.Blocks(32768, 512)),
        Optional.empty());

    private NatJournal open() {
        return new NatJournal(directory, clock, 4);
    }

    private List<Path> files() {
        try (Stream<Path> found = Files.list(directory)) {
            return found.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every line of every segment, checked against the one before. */
    private List<Entry> entries() throws IOException {
        final List<Entry> found = new ArrayList<>();
        String hash = Line.NOTHING;
        for (final Path file : files()) {
            final byte[] bytes = file.toString().endsWith(".gz")
                ? new GZIPInputStream(Files.newInputStream(file)).readAllBytes() : Files.readAllBytes(file);
            for (final String line : new String(bytes, StandardCharsets.UTF_8).lines().toList()) {
                final Entry.Read read = Entry.parse(line, hash);
                hash = read.line().hash();
                found.add(read.entry());
            }
        }
        assertThat(found.stream().map(Entry::number)).isEqualTo(
            IntStream.rangeClosed(1, found.size()).mapToObj(Long::valueOf).toList());
        return found;
    }

    private static List<String> told(final List<Entry> entries) {
        return entries.stream().map(entry -> entry.event().name().toLowerCase(java.util.Locale.ROOT)
            + entry.assignment().map(each -> " " + each.tenant() + " " + each.kind()).orElse("")).toList();
    }

    @Test
    void aSegmentThatCannotBeCompressedStaysUntilTheNextStart() throws IOException {
        // What takes the name of the copy keeps it from being made, as a full disk does.
        final Path obstacle = directory.resolve("nat-000000000001.jsonl.gz.new");
        try (NatJournal journal = open()) {
            journal.record(of(1, 2, 3));
            Files.createDirectory(obstacle);
            assertThat(journal.record(of(4, 5))).hasSize(5);
        }
        assertThat(entries()).hasSize(13);
        assertThat(files()).extracting(file -> file.getFileName().toString())
            .containsExactly("nat-000000000001.jsonl", "nat-000000000005.jsonl");
        try (NatJournal journal = open()) {
            assertThat(journal.record(of(4, 5))).isEmpty();
        }
        assertThat(files()).extracting(file -> file.getFileName().toString())
            .containsExactly("nat-000000000001.jsonl.gz", "nat-000000000005.jsonl");
    }

    @Test
    void whatIsAssignedAndReleasedIsWritten() throws IOException {
        try (NatJournal journal = open()) {
            final Set<Assignment> first = of(1, 2);
            first.add(FORWARD);
            journal.record(first);
            journal.record(first);
            clock.pass(60);
            journal.record(of(2));
        }
        final List<Entry> entries = entries();
        assertThat(told(entries)).containsExactly("opened", "assigned t1 source", "assigned t2 source",
            "assigned t1 port-forward", "opened", "held t1 source", "held t1 port-forward", "held t2 source",
            "released t1 source", "released t1 port-forward");
        assertThat(entries.get(3).assignment()).contains(FORWARD);
        assertThat(entries.get(3).time()).isEqualTo(START);
        assertThat(entries.get(5).since()).isEqualTo(START);
        assertThat(entries.get(9).time()).isEqualTo(START.plusSeconds(60));
    }

    @Test
    void aNewStartGoesOn() throws IOException {
        final Set<Assignment> wanted = of(1);
        wanted.add(SHARED);
        try (NatJournal journal = open()) {
            journal.record(wanted);
        }
        try (NatJournal journal = open()) {
            journal.record(wanted);
            assertThat(entries()).hasSize(3);
            journal.record(of(1));
        }
        assertThat(told(entries())).containsExactly("opened", "assigned t1 source",
            "assigned Łódź \"1\" deterministic", "released Łódź \"1\" deterministic");
        assertThat(entries().get(2).assignment()).contains(SHARED);
    }

    @Test
    void segmentsBeginWithWhatIsHeldAndOldOnesAreCompressed() throws IOException {
        try (NatJournal journal = open()) {
            for (int tenant = 1; tenant < 20; tenant++) {
                journal.record(of(100, tenant));
                clock.pass(1);
            }
        }
        assertThat(files()).hasSizeGreaterThan(5);
        assertThat(files().stream().filter(file -> file.toString().endsWith(Segments.OPEN))).hasSize(1);
        assertThat(files().get(files().size() - 1).toString()).endsWith(Segments.OPEN);
        assertThat(entries().stream().filter(entry -> entry.event() == Entry.Event.HELD
            && entry.assignment().orElseThrow().tenant().equals("t100")).map(Entry::since)).containsOnly(START);
        // An old segment is not needed to go on.
        Files.delete(files().get(0));
        try (NatJournal journal = open()) {
            final long before = Files.size(files().get(files().size() - 1));
            journal.record(of(100, 19));
            assertThat(Files.size(files().get(files().size() - 1))).isEqualTo(before);
        }
    }

    @Test
    void aLineThatWasNotWrittenToItsEndIsTakenAway() throws IOException {
        try (NatJournal journal = open()) {
            journal.record(of(1));
        }
        Files.writeString(files().get(0), "{\"number\":3,\"ti", StandardOpenOption.APPEND);
        try (NatJournal journal = open()) {
            journal.record(of(1, 2));
        }
        assertThat(told(entries())).containsExactly("opened", "assigned t1 source", "assigned t2 source");
    }

    @Test
    void aCutThatACrashInterruptedIsFinished() throws IOException {
        try (NatJournal journal = open()) {
            journal.record(of(1, 2, 3));
            journal.record(of(4, 5, 6));
        }
        final Path closed = files().get(0);
        final Path full = directory.resolve(closed.getFileName().toString().replace(".gz", ""));
        Files.write(full, new GZIPInputStream(Files.newInputStream(closed)).readAllBytes());
        Files.delete(closed);
        open().close();
        assertThat(files()).contains(closed).doesNotContain(full);
        entries();
    }

    @Test
    void aLineThatWasChangedIsNotGoneOnFrom() throws IOException {
        try (NatJournal journal = open()) {
            journal.record(of(1, 2));
        }
        Files.writeString(files().get(0), Files.readString(files().get(0)).replace("\"t1\"", "\"t7\""));
        assertThatThrownBy(this::open).isInstanceOf(UncheckedIOException.class)
            .hasMessageContaining("line 2").hasMessageContaining("does not follow");
    }

    /** Readers are tested with this file. {@code -Dgolden.update} writes it anew. */
    @Test
    void aSampleForReaders() throws IOException {
        final Assignment each = new Assignment("red", 2, "one-to-one", Optional.of(Prefix.parse("10.0.0.8/30")),
            Prefix.parse("198.51.100.8/30"), Optional.empty(), Optional.empty());
        final Set<Assignment> wanted = new LinkedHashSet<>(List.of(source(1), FORWARD, each, SHARED));
        try (NatJournal journal = open()) {
            journal.record(wanted);
        }
        clock.pass(60);
        wanted.remove(FORWARD);
        try (NatJournal journal = new NatJournal(directory, clock)) {
            journal.record(wanted);
        }
        final String text = Files.readString(files().get(0));
        final Path sample = Path.of("src/test/resources/nat-journal").resolve(files().get(0).getFileName());
        if (System.getProperty("golden.update") != null) {
            Files.createDirectories(sample.getParent());
            Files.writeString(sample, text);
        }
        assertThat(text).isEqualTo(Files.readString(sample));
    }

    @Test
    void timeNeverGoesBack() throws IOException {
        try (NatJournal journal = open()) {
            journal.record(of(1));
            clock.pass(-3600);
            journal.record(of(2));
        }
        assertThat(entries().stream().map(Entry::time)).containsOnly(START);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nat-000000000005.jsonl.new", "nat-000000000005.jsonl"})
    void aSegmentThatCannotBeBegunChangesNothing(final String name) throws IOException {
        final Path obstacle = directory.resolve(name);
        try (NatJournal journal = open()) {
            journal.record(of(1, 2, 3));
            Files.createDirectory(obstacle);
            assertThatThrownBy(() -> journal.record(of(4, 5, 6))).isInstanceOf(UncheckedIOException.class);
            journal.record(of(1, 2));
            Files.delete(obstacle);
            assertThat(told(entries())).endsWith("assigned t3 source", "released t3 source");
            journal.record(of(4, 5, 6));
        }
        assertThat(told(entries())).endsWith("assigned t4 source", "assigned t5 source", "assigned t6 source");
    }

    @Test
    void whatCannotBeWrittenIsNotTakenForWritten() throws IOException {
        final NatJournal journal = open();
        journal.close();
        assertThatThrownBy(() -> journal.record(of(1))).isInstanceOf(UncheckedIOException.class)
            .hasMessageContaining("cannot write the NAT journal");
        assertThat(told(entries())).containsExactly("opened");
    }
}
