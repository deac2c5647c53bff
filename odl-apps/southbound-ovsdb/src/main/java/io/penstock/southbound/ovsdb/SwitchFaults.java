// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The known faults of Open vSwitch by its version, which {@code ovs-config/switch-faults.json} lists for controller and
 * nodes, and what a node runs without that accepts them. Stateless.
 */
public final class SwitchFaults {
    private static final String FILE = "/switch-faults.json";
    private static final String FTP = "ftp";
    private static final String SERVICE_HEADER = "service-header";
    private static final Pattern VERSION = Pattern.compile("[0-9]{1,4}\\.[0-9]{1,4}\\.[0-9]{1,4}");
    private static final List<Fault> KNOWN = read();

    private SwitchFaults() {
        // Only functions.
    }

    /**
     * A fault.
     *
     * @param text what can happen
     * @param since the first release with it
     * @param fixedIn the first releases without it, one for each series that has one, in their order
     * @param off what a node runs without that has it
     * @param refused whether a node that has it has to accept it
     */
    private record Fault(String name, String text, Release since, List<Release> fixedIn, String off, boolean refused) {
        boolean isIn(final Release release) {
            final boolean isOver = !fixedIn.isEmpty() && release.compareTo(fixedIn.get(fixedIn.size() - 1)) >= 0;
            return release.compareTo(since) >= 0 && !isOver
                && fixedIn.stream().noneMatch(fixed -> fixed.isOfSeriesOf(release) && fixed.compareTo(release) <= 0);
        }
    }

    private record Release(int major, int minor, int patch) implements Comparable<Release> {
        static Release of(final String text) {
            final List<Integer> numbers = Pattern.compile("\\.").splitAsStream(text).map(Integer::valueOf).toList();
            return new Release(numbers.get(0), numbers.get(1), numbers.get(2));
        }

        boolean isOfSeriesOf(final Release other) {
            return major == other.major && minor == other.minor;
        }

        @Override
        public int compareTo(final Release other) {
            return major != other.major ? Integer.compare(major, other.major)
                : minor != other.minor ? Integer.compare(minor, other.minor) : Integer.compare(patch, other.patch);
        }
    }

    /** Why a node may not run its switch, and what to do; empty if it may. */
    public static String refusal(final NodeAnnouncement node) {
        final List<Fault> others = of(node.ovsVersion()).stream()
            .filter(fault -> fault.refused() && !node.acceptedFaults().contains(fault.name())).toList();
        if (others.isEmpty()) {
            return "";
        }
        return (node.ovsVersion().isEmpty() ? "it does not say the version of its Open vSwitch, which may have faults: "
            : "its Open vSwitch " + node.ovsVersion() + " has known faults: ") + texts(others)
            + "; bring the node down and up with the Open vSwitch that ovs-config fetches, or accept the faults in its "
            + "profile: accepted-switch-faults: [" + names(others) + "]";
    }

    /** What an operator has to know of a node that runs with faults; empty for other nodes. */
    public static String warning(final NodeAnnouncement node) {
        final List<Fault> accepted = accepted(node);
        return accepted.isEmpty() ? "" : "it accepts faults of its Open vSwitch " + node.ovsVersion() + ": "
            + texts(accepted) + "; without: " + accepted.stream().map(Fault::off).distinct().sorted()
                .collect(Collectors.joining(", "));
    }

    /** Whether the switch of a node may look into packets of FTP. */
    public static boolean permitFtp(final NodeAnnouncement node) {
        return accepted(node).stream().noneMatch(fault -> fault.off().equals(FTP));
    }

    /** Whether packets may have a network service header on a node. */
    public static boolean permitServiceHeader(final NodeAnnouncement node) {
        return of(node.ovsVersion()).stream().noneMatch(fault -> fault.off().equals(SERVICE_HEADER));
    }

    private static List<Fault> accepted(final NodeAnnouncement node) {
        return KNOWN.stream().filter(fault -> fault.refused() && node.acceptedFaults().contains(fault.name())).toList();
    }

    /** What a peer says of its version, if that is one; else nothing, so that its text is nowhere shown. */
    static String version(final String said) {
        return VERSION.matcher(said).matches() ? said : "";
    }

    /** All of them for a version that is no version. */
    private static List<Fault> of(final String version) {
        return VERSION.matcher(version).matches()
            ? KNOWN.stream().filter(fault -> fault.isIn(Release.of(version))).toList() : KNOWN;
    }

    private static String texts(final List<Fault> faults) {
        return faults.stream().map(fault -> fault.text() + " (" + fault.name() + ")").collect(Collectors.joining(", "));
    }

    private static String names(final List<Fault> faults) {
        return faults.stream().map(Fault::name).collect(Collectors.joining(", "));
    }

    /** The names of the faults that a node may accept. */
    static Set<String> names() {
        return KNOWN.stream().filter(Fault::refused).map(Fault::name).collect(Collectors.toUnmodifiableSet());
    }

    private static List<Fault> read() {
        try (InputStream file = SwitchFaults.class.getResourceAsStream(FILE)) {
            final List<Fault> faults = new ArrayList<>();
            for (final JsonNode fault : new ObjectMapper().readTree(file).required("faults")) {
                final List<Release> fixedIn = new ArrayList<>();
                fault.required("fixed-in").forEach(release -> fixedIn.add(Release.of(release.asText())));
                faults.add(new Fault(fault.required("name").asText(), fault.required("fault").asText(),
                    Release.of(fault.required("since").asText()), fixedIn.stream().sorted().toList(),
                    fault.required("off").asText(), fault.required("refused").asBoolean()));
            }
            return List.copyOf(faults);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
