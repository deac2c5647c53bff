// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.base.chain.Line;
import io.penstock.journal.MemberJournal.Standing;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.testkit.ManualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three members with a journal each, one of which writes, and batches that reach the others late, or never. */
@Tag("hostile")
@Tag("safety")
class MemberJournalTest {
    private static final int SEGMENT = 6;
    /** Lines that the datastore keeps in this test. */
    private static final int RING = 12;

    @TempDir
    private Path directory;
    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-26T10:00:00Z"));
    private final List<Batch> stored = new ArrayList<>();
    private final List<MemberJournal> members = new ArrayList<>();
    private final Random random = new Random(7);

    private MemberJournal member(final int number) {
        while (members.size() <= number) {
            members.add(open(members.size()));
        }
        return members.get(number);
    }

    private MemberJournal open(final int number) {
        return new MemberJournal(path(number), clock, true, SEGMENT);
    }

    private Path path(final int number) {
        return directory.resolve("member-" + number);
    }

    private void restart(final int number) {
        members.get(number).close();
        members.set(number, open(number));
    }

    @AfterEach
    void close() {
        members.forEach(MemberJournal::close);
    }

    private static Assignment block(final int tenant, final int subscriber) {
        return new Assignment("t" + tenant, tenant + 1, Assignment.PORT_BLOCK,
            Optional.of(Prefix.host(new Ipv4(0x0a000000L + subscriber))), Prefix.parse("203.0.113.1/32"),
            Optional.of(new Assignment.Blocks(1024 + 64 * subscriber, 64)), Optional.empty());
    }

    private Set<Assignment> wanted() {
        final Set<Assignment> all = new LinkedHashSet<>();
        IntStream.range(0, 8).filter(each -> random.nextBoolean())
            .forEach(each -> all.add(block(each % 3, each)));
        return all;
    }

    /** As the engine does it on a member. */
    private void write(final int number) {
        final Batch batch = member(number).plan(Optional.empty(), wanted());
        if (!batch.isEmpty()) {
            stored.add(batch);
            while (stored.size() > 1 && stored.stream().mapToInt(each -> each.texts().size()).sum() > RING) {
                stored.remove(0);
            }
            member(number).write(batch);
        }
        clock.passMillis(random.nextInt(2000));
    }

    private Standing follow(final int number) {
        return member(number).follow(stored);
    }

    private boolean copy(final int from, final int to) {
        try {
            final JournalCopy copy = new JournalCopy(member(to));
            final boolean copied = copy.newest(member(from)::answer, stored, member(to).end());
            copy.older(member(from)::answer);
            return copied;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All lines of a journal, each of which follows from the one before. */
    private List<String> lines(final int number) {
        final List<String> lines = new ArrayList<>();
        final JournalFiles files = new JournalFiles(path(number));
        try {
            for (final String name : files.names()) {
                final Path file = path(number).resolve(name);
                final byte[] content = JournalFiles.isClosed(name)
                    ? new GZIPInputStream(Files.newInputStream(file)).readAllBytes() : Files.readAllBytes(file);
                lines.addAll(new String(content, StandardCharsets.UTF_8).lines().toList());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String hash = Line.NOTHING;
        for (final String line : lines) {
            hash = Entry.parse(line, hash).line().hash();
        }
        return lines;
    }

    private long closed(final int number) {
        try {
            return new JournalFiles(path(number)).names().stream().filter(JournalFiles::isClosed).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long aside(final int number) throws IOException {
        final Path aside = path(number).resolve("aside");
        if (!Files.exists(aside)) {
            return 0;
        }
        try (var files = Files.list(aside)) {
            return files.count();
        }
    }

    @Test
    void eachMemberHasTheSameLinesWhicheverWrites() {
        int writer = 0;
        for (int step = 0; step < 100; step++) {
            write(writer);
            final int other = random.nextInt(3);
            if (random.nextInt(3) == 0) {
                // A takeover: what the datastore has comes first.
                assertThat(follow(other)).isEqualTo(Standing.SAME);
                writer = other;
            }
            if (random.nextInt(10) == 0) {
                restart(random.nextInt(members.size()));
            }
            IntStream.range(0, 3).forEach(each -> assertThat(follow(each)).isEqualTo(Standing.SAME));
        }
        assertThat(lines(0)).hasSizeGreaterThan(200).isEqualTo(lines(1)).isEqualTo(lines(2));
        assertThat(closed(0)).isGreaterThan(10);
    }

    @Test
    void whoWasAwayCopiesWhatTheDatastoreHasNoMore() {
        for (int round = 0; round < 6; round++) {
            final int writes = 10 + random.nextInt(20);
            for (int step = 0; step < writes; step++) {
                write(0);
                follow(1);
            }
            if (follow(2) != Standing.SAME) {
                assertThat(copy(round % 2, 2)).isTrue();
            }
            assertThat(follow(2)).isEqualTo(Standing.SAME);
            assertThat(lines(2)).isEqualTo(lines(0));
        }
        restart(2);
        assertThat(follow(2)).isEqualTo(Standing.SAME);
    }

    @Test
    void aNewMemberGetsAllThatTheOthersHave() throws IOException {
        IntStream.range(0, 50).forEach(step -> write(0));
        assertThat(follow(1)).isEqualTo(Standing.DIFFERS);
        // It is killed between the newest segment and the others.
        assertThat(new JournalCopy(member(1)).newest(member(0)::answer, stored, member(1).end())).isTrue();
        restart(1);
        assertThat(new JournalCopy(member(1)).older(member(0)::answer)).isPositive();
        assertThat(lines(1)).isEqualTo(lines(0));
        assertThat(aside(1)).isZero();
        // What is taken away later stays away.
        final String oldest = new JournalFiles(path(1)).names().get(0);
        Files.delete(path(1).resolve(oldest));
        assertThat(new JournalCopy(member(1)).older(member(0)::answer)).isZero();
    }

    @Test
    void anotherJournalIsSetAsideAndKept() throws IOException {
        IntStream.range(0, 30).forEach(step -> write(1));
        stored.clear();
        IntStream.range(0, 50).forEach(step -> write(0));
        final List<String> own = lines(0);
        assertThat(follow(1)).isNotEqualTo(Standing.SAME);
        assertThat(copy(0, 1)).isTrue();
        assertThat(lines(1)).isEqualTo(own);
        assertThat(aside(1)).isGreaterThan(3);
        assertThat(follow(1)).isEqualTo(Standing.SAME);
    }

    @Test
    void aJournalWithoutTheStoredLinesIsNoHelp() {
        IntStream.range(0, 30).forEach(step -> write(0));
        follow(1);
        member(2);
        assertThat(copy(1, 2)).isFalse();
        assertThat(lines(2)).isEmpty();
    }

    @Test
    void aMasterThatLacksLinesGoesOnBehindThemAndGetsThemLater() throws IOException {
        IntStream.range(0, 10).forEach(step -> {
            write(0);
            follow(2);
        });
        IntStream.range(0, 30).forEach(step -> write(0));
        assertThat(follow(2)).isEqualTo(Standing.DIFFERS);
        new JournalCopy(member(2)).doubt(stored.get(stored.size() - 1));
        member(2).skip(stored.get(stored.size() - 1));
        assertThat(follow(2)).isEqualTo(Standing.SAME);
        IntStream.range(0, 3).forEach(step -> write(2));
        // The former writer has the end of the segment before, and takes what came after.
        if (follow(0) != Standing.SAME) {
            assertThat(copy(2, 0)).isTrue();
        }
        assertThat(new JournalCopy(member(2)).older(member(0)::answer)).isPositive();
        assertThat(lines(2)).isEqualTo(lines(0));
    }

    @Test
    void aDamagedSegmentIsCopiedAgain() throws IOException {
        IntStream.range(0, 20).forEach(step -> {
            write(0);
            follow(1);
        });
        member(1).close();
        final List<String> names = new JournalFiles(path(1)).names();
        final Path newest = path(1).resolve(names.get(names.size() - 1));
        Files.writeString(newest, Files.readString(newest).replaceFirst("10.0.0", "10.0.9"));
        members.set(1, open(1));
        assertThat(follow(1)).isEqualTo(Standing.DIFFERS);
        assertThat(copy(0, 1)).isTrue();
        assertThat(lines(1)).isEqualTo(lines(0));
        assertThat(aside(1)).isEqualTo(1);
    }

    @Test
    void aDamagedOrFalseCopyIsNotTaken() {
        IntStream.range(0, 20).forEach(step -> {
            write(0);
            follow(1);
        });
        final List<String> before = lines(1);
        IntStream.range(0, 20).forEach(step -> write(0));
        final JournalSource liar = question -> {
            final byte[] answer = member(0).answer(question);
            return question.startsWith("read") ? new String(answer, StandardCharsets.UTF_8)
                .replace("203.0.113.1", "203.0.113.2").getBytes(StandardCharsets.UTF_8) : answer;
        };
        assertThatThrownBy(() -> new JournalCopy(member(1)).newest(liar, stored, member(1).end()))
            .isInstanceOf(UncheckedIOException.class).hasMessageContaining("hash");
        assertThat(lines(1)).isEqualTo(before);
        restart(1);
        assertThat(copy(0, 1)).isTrue();
        assertThat(lines(1)).isEqualTo(lines(0));
    }

    @Test
    void aCopyThatComesTooLateIsNotTaken() throws IOException {
        IntStream.range(0, 20).forEach(step -> write(0));
        final Batch before = member(1).end();
        assertThat(copy(0, 1)).isTrue();
        write(1);
        final List<String> lines = lines(1);
        assertThat(new JournalCopy(member(1)).newest(member(0)::answer, stored.subList(0, 1), before)).isFalse();
        assertThat(lines(1)).isEqualTo(lines);
    }

    @Test
    void onlySegmentsAreRead() {
        write(0);
        for (final String question : List.of("read ../secret 0", "read nat-000000000001.jsonl -1",
                "read nat-000000000009.jsonl 0", "read /etc/passwd 0", "write x", "read copying 0")) {
            assertThatThrownBy(() -> member(0).answer(question)).isInstanceOf(IOException.class);
        }
    }
}
