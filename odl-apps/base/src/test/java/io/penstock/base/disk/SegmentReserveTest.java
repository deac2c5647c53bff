// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holes of the datastore's segments are filled, and their content stays. */
class SegmentReserveTest {
    private static final int SIZE = 8 << 20;

    @TempDir
    private Path directory;

    private Path segment(final String shard) throws IOException {
        final Path segment = Files.createDirectories(directory.resolve(shard)).resolve("data-1.log");
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            file.writeUTF("entry");
            file.setLength(SIZE);
        }
        return segment;
    }

    private static long blocks(final Path file) throws IOException, InterruptedException {
        final Process stat = new ProcessBuilder("stat", "--format=%b", file.toString()).start();
        return Long.parseLong(new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip()) * 512;
    }

    @Test
    void newSegmentsGetTheirRoom() throws Exception {
        final SegmentReserve reserve = new SegmentReserve(directory);
        reserve.look();
        final Path first = segment("config");
        assertThat(blocks(first)).isLessThan(SIZE);
        reserve.look();
        assertThat(blocks(first)).isGreaterThanOrEqualTo(SIZE);
        final Path second = segment("topology");
        reserve.look();
        assertThat(blocks(second)).isGreaterThanOrEqualTo(SIZE);
        try (RandomAccessFile file = new RandomAccessFile(first.toFile(), "r")) {
            assertThat(file.readUTF()).isEqualTo("entry");
            assertThat(file.length()).isEqualTo(SIZE);
        }
    }

    @Test
    void withoutADirectoryThereIsNothingToDo() {
        new SegmentReserve(directory.resolve("none")).look();
    }
}
