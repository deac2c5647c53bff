// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

/** Text of a peer for the log and for people: a peer may send 64 MB where a word belongs. Stateless. */
final class PeerText {
    private static final String CUT = "...";

    private PeerText() {
        // Stateless.
    }

    /** The text, or its first characters, at most this many, and a sign that there were more. */
    static String cut(final String text, final int most) {
        return text.length() <= most ? text : text.substring(0, most) + CUT;
    }
}
