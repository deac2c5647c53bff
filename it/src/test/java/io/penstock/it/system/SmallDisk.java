// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.Shell;
import io.penstock.testkit.TestRun;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file system of its own at a directory, in memory, which a test may fill. */
final class SmallDisk implements TestRun.Closing {
    private static final String SIZE = "4g";
    private static final int STEP = 1 << 16;

    private final Path directory;
    private final Path ballast;

    /** Mounts it. Mounts of a process that is started later see it. */
    SmallDisk(final TestRun run, final Path directory) {
        this.directory = directory;
        ballast = directory.resolve("ballast");
        try {
            Files.createDirectory(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        run.afterCrash("umount", "--lazy", directory.toString());
        Shell.PLAIN.run("mount", "-t", "tmpfs", "-o", "mode=0755,size=" + SIZE, "tmpfs", directory.toString());
    }

    /** Leaves no room: makes it small, and writes a file until there is no byte left. */
    void fill() {
        try {
            final long used = Files.getFileStore(directory).getTotalSpace() - free();
            remount(Long.toString(used + (1 << 20)));
            try (OutputStream file = Files.newOutputStream(ballast)) {
                while (true) {
                    file.write(new byte[STEP]);
                }
            } catch (IOException e) {
                if (free() > 0) {
                    throw e;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes room: the file goes, and the disk is as large as before. */
    void makeRoom() {
        try {
            Files.deleteIfExists(ballast);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        remount(SIZE);
    }

    private long free() throws IOException {
        return Files.getFileStore(directory).getUsableSpace();
    }

    private void remount(final String size) {
        Shell.PLAIN.run("mount", "-o", "remount,size=" + size, directory.toString());
    }

    @Override
    public void close() {
        Shell.PLAIN.run("umount", "--lazy", directory.toString());
    }
}
