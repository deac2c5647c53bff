// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An Open vSwitch without DPDK that tests run.
 *
 * @param words those that start it, to which its arguments are added
 * @param schema the schema of its database
 */
public record SwitchProgram(List<String> words, String schema) {
    private static final String MADE = "penstock-switch.json";
    private static final String SCHEMA = "usr/share/openvswitch/vswitch.ovsschema";
    private static final Pattern VERSION = Pattern.compile("Open vSwitch\\) ([0-9.]+)");
    private static final String PROGRAM = "usr/lib/openvswitch-switch/ovs-vswitchd";

    /** That of the machine's own Debian. In versions 12 and 13 it releases fragments with packets of others. */
    static SwitchProgram ofMachine() {
        return new SwitchProgram(List.of("/" + PROGRAM), "/" + SCHEMA);
    }

    /**
     * That which nodes run: the newest one that {@code ovs-config} has unpacked. Its process is started by the loader
     * and with the libraries of its directory.
     */
    public static SwitchProgram ofNodes() {
        final Path root = root();
        return new SwitchProgram(List.of(only(root, "lib64", "ld-linux-*").toString(), "--argv0", "ovs-vswitchd",
            "--library-path", only(root, "lib", "*-linux-gnu").toString(), root.resolve(PROGRAM).toString()),
            root.resolve(SCHEMA).toString());
    }

    /** The version of Open vSwitch, as the program says it. */
    String version() {
        final List<String> command = new ArrayList<>(words);
        command.add("--version");
        final String said = Shell.PLAIN.run(command.toArray(String[]::new));
        final Matcher found = VERSION.matcher(said);
        if (!found.find()) {
            throw new AssertionError(words + " does not say its version: " + said);
        }
        return found.group(1);
    }

    private static Path root() {
        final Path place = Path.of(Optional.ofNullable(System.getenv("PENSTOCK_SWITCH_DIR"))
            .orElse("/var/lib/penstock-switch"));
        try (Stream<Path> all = Files.isDirectory(place) ? Files.list(place) : Stream.empty()) {
            // A copy that is not whole has another name (_read in ovs-config/penstock_node/switch_root.py).
            return all.filter(root -> Files.exists(root.resolve(MADE)))
                .filter(root -> Character.isDigit(root.getFileName().toString().charAt(0)))
                .max(Comparator.comparing(SwitchProgram::numbers, Arrays::compare))
                .orElseThrow(() -> new AssertionError("no Open vSwitch in " + place
                    + ": fetch it with ovs-config switch --fetch"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of a version, which the name of a directory is. */
    private static int[] numbers(final Path root) {
        return Pattern.compile("[^0-9]+").splitAsStream(root.getFileName().toString()).filter(part -> !part.isEmpty())
            .mapToInt(Integer::parseInt).toArray();
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
