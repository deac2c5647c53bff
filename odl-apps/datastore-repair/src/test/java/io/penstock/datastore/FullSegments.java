// SPDX-License-Identifier: Apache-2.0
package io.penstock.datastore;

import io.atomix.storage.journal.JournalSerdes;
import io.atomix.storage.journal.SegmentedJournal;
import io.atomix.storage.journal.SegmentedJournalReader;
import io.atomix.storage.journal.StorageLevel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.ToLongFunction;

/** A journal as the datastore has it, but smaller; for the loader that has woven its classes. */
public final class FullSegments implements ToLongFunction<Path> {
    private static final int SEGMENT = 1 << 20;
    private static final int LARGEST_ENTRY = SEGMENT / 4;

    /** Fills a segment, opens the journal again and reads it. Returns the bytes that were read of files meanwhile. */
    @Override
    public long applyAsLong(final Path directory) {
        final long before = bytesRead();
        long last = 0;
        try (SegmentedJournal<Long> journal = journal(directory)) {
            while (journal.segments().size() < 2) {
                journal.writer().append(++last);
            }
            journal.writer().flush();
        }
        try (SegmentedJournal<Long> journal = journal(directory);
                SegmentedJournalReader<Long> reader = journal.openReader(1)) {
            for (long value = 1; value <= last; value++) {
                if (reader.next().entry() != value) {
                    throw new IllegalStateException("entry " + value + " is " + reader.getCurrentEntry());
                }
            }
            if (reader.hasNext() || journal.writer().getLastIndex() != last) {
                throw new IllegalStateException("the last entry is " + journal.writer().getLastIndex());
            }
        }
        return bytesRead() - before;
    }

    private static SegmentedJournal<Long> journal(final Path directory) {
        return SegmentedJournal.<Long>builder().withStorageLevel(StorageLevel.MAPPED).withDirectory(directory.toFile())
            .withName("data").withNamespace(JournalSerdes.builder().register(new Numbers(), Long.class).build())
            .withMaxEntrySize(LARGEST_ENTRY).withMaxSegmentSize(SEGMENT).build();
    }

    /** Of this process, by system calls: proc(5). */
    private static long bytesRead() {
        try {
            return Files.readAllLines(Path.of("/proc/self/io")).stream().filter(line -> line.startsWith("rchar: "))
                .mapToLong(line -> Long.parseLong(line.substring("rchar: ".length()))).findFirst().orElseThrow();
        } catch (final IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static final class Numbers implements JournalSerdes.EntrySerdes<Long> {
        @Override
        public Long read(final JournalSerdes.EntryInput input) throws IOException {
            return input.readLong();
        }

        @Override
        public void write(final JournalSerdes.EntryOutput output, final Long entry) throws IOException {
            output.writeLong(entry);
        }
    }
}
