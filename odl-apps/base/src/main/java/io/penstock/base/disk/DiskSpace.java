// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.disk;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whether the disk has room for what the controller stores next. The datastore maps its journal into memory: a page
 * that finds no room on the disk is a fault of the whole process, so nothing is stored before it comes to that. Safe
 * for all threads.
 */
public final class DiskSpace {
    /** Bytes. An entry of the datastore has up to 16 MB, and its snapshot, the journals and the logs need room too. */
    static final long NEEDED = 64L << 20;

    private final Path directory;

    /** The room on the disk of a directory. */
    public DiskSpace(final Path directory) {
        this.directory = requireNonNull(directory);
    }

    /** Why nothing more can be stored, and what to do; empty while there is room. */
    public Optional<String> shortage() {
        try {
            final long free = Files.getFileStore(directory).getUsableSpace();
            return free >= NEEDED ? Optional.empty() : Optional.of("the disk of " + directory + " has " + (free >> 20)
                + " MB left, and " + (NEEDED >> 20) + " MB are needed: free some");
        } catch (IOException e) {
            return Optional.of("the disk of " + directory + " cannot be used: " + e);
        }
    }
}
