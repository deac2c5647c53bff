// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.base.chain.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
    @TempDir
    private Path parent;

    private AuditLog open() {
        return new AuditLog(parent.resolve("audit-log"), "member-2",
            Clock.fixed(Instant.parse("2026-11-26T12:00:00.123456Z"), ZoneOffset.UTC));
    }

    private static JsonObject about(final String path) {
        final JsonObject about = new JsonObject();
        about.addProperty("path", path);
        return about;
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(parent.resolve("audit-log"))) {
            return files.sorted().toList();
        }
    }

    /** All lines, of which each follows from the one before. */
    private List<JsonObject> lines() throws IOException {
        final List<JsonObject> lines = new ArrayList<>();
        String hash = Line.NOTHING;
        for (final Path file : files()) {
            for (final String line : Files.readAllLines(file)) {
                hash = Line.parse(line, hash).hash();
                lines.add(JsonParser.parseString(line).getAsJsonObject());
            }
        }
        return lines;
    }

    @Test
    void aRequestAndItsResultAreChainedAndGoOnAfterARestart() throws Exception {
        try (AuditLog log = open()) {
            final long number = log.request(about("/a"));
            log.done(number, about("x"));
            assertThat(number).isEqualTo(2);
        }
        try (AuditLog log = open()) {
            log.refused("refused", about("/b"));
        }
        assertThat(lines()).extracting(line -> line.get("event").getAsString())
            .containsExactly("opened", "request", "done", "refused");
        assertThat(lines()).extracting(line -> line.get("number").getAsLong()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(lines().get(2).get("request").getAsLong()).isEqualTo(2);
        assertThat(lines()).allMatch(line -> line.get("member").getAsString().equals("member-2")
            && line.get("time").getAsString().equals("2026-11-26T12:00:00.123Z"));
    }

    @Test
    void onlyTheOwnerReadsIt() throws Exception {
        try (AuditLog log = open()) {
            log.request(about("/a"));
        }
        assertThat(Files.getPosixFilePermissions(parent.resolve("audit-log"))).hasSize(3);
        assertThat(Files.getPosixFilePermissions(files().get(0))).hasSize(2);
    }

    @Test
    void aLogThatCannotBeWrittenRefusesRequestsAndGoesOnWhenItCan() throws Exception {
        Files.writeString(parent.resolve("audit-log"), "in the way");
        try (AuditLog log = open()) {
            log.open();
            assertThatThrownBy(() -> log.request(about("/a"))).isInstanceOf(AuditLog.UnwritableException.class)
                .hasMessageContaining("audit-log cannot be written");
            log.refused("refused", about("/b"));
            Files.delete(parent.resolve("audit-log"));
            assertThat(log.request(about("/c"))).isEqualTo(2);
            log.refused("refused", about("/d"));
        }
        assertThat(lines().get(2).get("suppressed-before").getAsInt()).isEqualTo(1);
    }

    @Test
    void aLineThatWasChangedIsNotGoneOnFrom() throws Exception {
        try (AuditLog log = open()) {
            log.request(about("/a"));
        }
        final Path file = files().get(0);
        final String good = Files.readString(file);
        Files.writeString(file, good.replace("\"/a\"", "\"/x\""));
        try (AuditLog log = open()) {
            assertThatThrownBy(() -> log.request(about("/b"))).isInstanceOf(AuditLog.UnwritableException.class)
                .hasMessageContaining("line 2").hasMessageContaining("does not follow");
            assertThat(Files.readString(file)).doesNotContain("/b");
            Files.writeString(file, good);
            assertThat(log.request(about("/b"))).isEqualTo(3);
        }
    }

    @Test
    void aLogWhoseNewestSegmentWasMovedAwayGoesOnBehindTheLastCompleteOne() throws Exception {
        final String large = "x".repeat(9 << 20);
        try (AuditLog log = open()) {
            log.request(about(large));
            log.request(about("/a"));
        }
        assertThat(files()).hasSize(2);
        final String complete = files().get(0).getFileName().toString();
        final byte[] before = Files.readAllBytes(files().get(0));
        Files.move(files().get(1), parent.resolve("kept"));
        try (AuditLog log = open()) {
            log.request(about(large));
            log.request(about("/b"));
        }
        assertThat(files()).extracting(file -> file.getFileName().toString()).contains(complete).hasSize(3);
        assertThat(files().get(0)).as("the complete segment").hasBinaryContent(before);
        assertThat(files().get(1).getFileName()).hasToString("audit-000000000003.jsonl.gz");
        assertThat(files().get(2).getFileName()).hasToString("audit-000000000005.jsonl");
    }

    @Test
    void halfALineIsRemoved() throws Exception {
        try (AuditLog log = open()) {
            log.request(about("/a"));
        }
        Files.writeString(files().get(0), "{\"number\":3,\"ti", StandardOpenOption.APPEND);
        try (AuditLog log = open()) {
            log.request(about("/b"));
        }
        assertThat(lines()).hasSize(3);
    }

    @Test
    void manyRefusalsAreCounted() throws Exception {
        try (AuditLog log = open()) {
            IntStream.range(0, 10_000).forEach(each -> log.refused("refused", about("/" + each)));
        }
        assertThat(lines()).hasSize(21);
    }
}
