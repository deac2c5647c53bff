// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A member of the cluster as it tells of itself.
 *
 * @param name such as {@code member-1}
 * @param cluster identity of the cluster whose data it has; empty while it has none
 */
record Peer(String name, State state, Optional<String> cluster) {
    private static final String NONE = "-";

    /** How far a member is. */
    enum State {
        /** It has started, and never was a part of a cluster: it has no data. */
        FRESH,
        /** It has started with data, and is a part of no cluster that runs. */
        WAITING,
        /** It has joined the cluster that runs without data, and has not got all of them yet. */
        CATCHING_UP,
        /** It is a part of the cluster that runs. */
        JOINED
    }

    Peer {
        requireNonNull(name);
        requireNonNull(state);
        requireNonNull(cluster);
    }

    /** Whether it is a part of the cluster that runs. */
    boolean isIn() {
        return state == State.JOINED || state == State.CATCHING_UP;
    }

    /** As one line, which Akka carries without a serializer of ours. */
    String text() {
        return name + " " + state + " " + cluster.orElse(NONE);
    }

    /** Reads such a line; nothing for one that is of another release, or is none. */
    static Optional<Peer> parse(final String text) {
        final String[] words = text.split(" ", -1);
        try {
            return words.length == 3 ? Optional.of(new Peer(words[0], State.valueOf(words[1]),
                Optional.of(words[2]).filter(word -> !NONE.equals(word)))) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
