// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Versions of the protocol, as in {@link NodeKeys#VERSION}, that the programs of a node speak. Programs of a release
 * before version 1 say none, which is 0; so is a version that cannot be read.
 *
 * @param agent version of the agent
 * @param functions version of the functions agent; nothing when none has written anything
 */
public record SpokenProtocol(int agent, OptionalInt functions) {
    private static final Pattern VERSION = Pattern.compile("[0-9]{1,9}");

    /** Reads it from the row of table {@code Open_vSwitch} and that of the bridge. */
    static SpokenProtocol of(final TableRow root, final Optional<TableRow> bridge) {
        final Map<?, ?> ids = bridge.<Map<?, ?>>map(row -> row.map(OvsTables.EXTERNAL_IDS)).orElse(Map.of());
        return new SpokenProtocol(version(root.map(OvsTables.EXTERNAL_IDS).get(NodeKeys.PROTOCOL)),
            ids.containsKey(NodeKeys.FUNCTIONS_PROTOCOL) || ids.containsKey(NodeKeys.NODE_FUNCTIONS)
                ? OptionalInt.of(version(ids.get(NodeKeys.FUNCTIONS_PROTOCOL))) : OptionalInt.empty());
    }

    private static int version(final @Nullable Object value) {
        return value instanceof String text && VERSION.matcher(text).matches() ? Integer.parseInt(text) : 0;
    }

    /** What speaks another version than this controller, and what to do, for people; empty if nothing does. */
    public Optional<String> difference() {
        final String differing = Stream.of(difference("agent", OptionalInt.of(agent)),
            difference("functions agent", functions)).flatMap(Optional::stream).collect(Collectors.joining("; "));
        return Optional.of(differing).filter(text -> !text.isEmpty());
    }

    private static Optional<String> difference(final String program, final OptionalInt version) {
        return version.isEmpty() || version.getAsInt() == NodeKeys.VERSION ? Optional.empty()
            : Optional.of("its " + program + " speaks version " + version.getAsInt()
                + " of the node protocol, this controller version " + NodeKeys.VERSION + ": upgrade the "
                + (version.getAsInt() < NodeKeys.VERSION ? "node" : "controller"));
    }
}
