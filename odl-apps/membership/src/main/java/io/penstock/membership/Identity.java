// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import static java.util.Objects.requireNonNull;

import io.penstock.base.disk.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * Identity of the cluster whose data a member has, in a file beside them, so that data of two clusters are never mixed.
 * For one thread.
 */
final class Identity {
    private final Path file;
    private final Path decision;
    private final Path incomplete;
    private final boolean empty;
    private Optional<String> cluster;

    /**
     * Reads it.
     *
     * @param directory of the member
     * @param empty whether the member has been started without data, or with a part of them
     * @throws UncheckedIOException when the file cannot be read
     */
    Identity(final Path directory, final boolean empty) {
        file = directory.resolve("cluster-id");
        // The names are those of karaf/penstock_controller/standing.py.
        decision = directory.resolve("cluster-data-decided");
        incomplete = directory.resolve("cluster-data-incomplete");
        this.empty = empty;
        try {
            cluster = Files.exists(file) ? Optional.of(Files.readString(file, StandardCharsets.US_ASCII).strip())
                .filter(text -> !text.isEmpty()) : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    Optional<String> cluster() {
        return cluster;
    }

    /** Whether this member had no data when it was started, or a part of them. */
    boolean isFresh() {
        return empty;
    }

    /** All data of the cluster are here: takes away the mark that layout.py makes at a start without them. */
    void complete() {
        delete(incomplete);
    }

    /** Whether a person has said that the data here are those of the cluster, although no majority has them. */
    boolean isDecided() {
        return Files.exists(decision);
    }

    /** Goes on with the identity of these data, or gives them one. */
    void make() {
        if (cluster.isEmpty()) {
            take(UUID.randomUUID().toString());
        }
        delete(decision);
        delete(incomplete);
    }

    /** Takes the identity of a cluster that this member has joined. */
    void take(final String other) {
        write(file, requireNonNull(other) + "\n");
        cluster = Optional.of(other);
    }

    private static void write(final Path path, final String text) {
        try {
            DurableFiles.replace(path, text.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + path, e);
        }
    }

    private static void delete(final Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + path, e);
        }
    }
}
