// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The Open vSwitch that tests run: the newest one that {@code ovs-config} has unpacked for nodes, in the form without
 * DPDK. Its process is started by the loader and with the libraries of its directory.
 */
public final class SwitchProgram {
    private static final String MADE = "penstock-switch.json";

    private SwitchProgram() {
    }

    /** The words that start it, to which its arguments are added. */
    public static List<String> words() {
        final Path root = root();
        return List.of(only(root, "lib64", "ld-linux-*").toString(), "--argv0", "ovs-vswitchd", "--library-path",
            only(root, "lib", "*-linux-gnu").toString(),
            root.resolve("usr/lib/openvswitch-switch/ovs-vswitchd").toString());
    }

    /** The schema of its database. */
    public static String schema() {
        return root().resolve("usr/share/openvswitch/vswitch.ovsschema").toString();
    }

    private static Path root() {
        final Path place = Path.of(Optional.ofNullable(System.getenv("PENSTOCK_SWITCH_DIR"))
            .orElse("/var/lib/penstock-switch"));
        try (Stream<Path> all = Files.isDirectory(place) ? Files.list(place) : Stream.empty()) {
            return all.filter(root -> Files.exists(root.resolve(MADE)))
                .max(Comparator.comparing(root -> root.getFileName().toString()))
                .orElseThrow(() -> new AssertionError("no Open vSwitch in " + place
                    + ": fetch it with ovs-config switch --fetch"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path only(final Path root, final String folder, final String name) {
        try (Stream<Path> all = Files.list(root.resolve("usr").resolve(folder))) {
            final var matcher = root.getFileSystem().getPathMatcher("glob:" + name);
            return all.filter(path -> matcher.matches(path.getFileName())).findFirst()
                .orElseThrow(() -> new AssertionError(root + " has no usr/" + folder + "/" + name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
