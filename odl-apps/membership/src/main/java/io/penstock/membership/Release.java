// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import java.util.Optional;

/**
 * The release that a member runs.
 *
 * @param member its name
 * @param version of its programs
 * @param models digest of the YANG models that it has; equal where the models are
 */
record Release(String member, String version, String models) {
    /** As one line, which Akka carries without a serializer of ours. */
    String text() {
        return member + " " + version + " " + models;
    }

    /** Reads such a line; nothing for another one. Further words are of later releases. */
    static Optional<Release> parse(final String text) {
        final String[] words = text.split(" ", -1);
        return words.length < 3 ? Optional.empty() : Optional.of(new Release(words[0], words[1], words[2]));
    }
}
