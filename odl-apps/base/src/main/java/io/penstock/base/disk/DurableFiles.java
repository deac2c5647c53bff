// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Files that survive a loss of power: whole as before or whole as after, under their name. Stateless. */
public final class DurableFiles {
    private DurableFiles() {
        // Only functions.
    }

    /** Replaces the content of a file, or makes the file. Returns when the disk has it under its name. */
    public static void replace(final Path file, final byte[] content) throws IOException {
        final Path made = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(made, StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            final ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(false);
        } catch (IOException e) {
            // What there is of it takes room.
            Files.deleteIfExists(made);
            throw e;
        }
        rename(made, file);
    }

    /** Gives a file, whose content is on the disk already, its name. Returns when the disk has the name. */
    public static void rename(final Path from, final Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        syncFolderOf(to);
    }

    /** Returns when the disk has the names in the folder of a file. */
    private static void syncFolderOf(final Path file) throws IOException {
        // Linux opens a folder for reading and syncs its entries, fsync(2).
        try (FileChannel folder = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }
}
