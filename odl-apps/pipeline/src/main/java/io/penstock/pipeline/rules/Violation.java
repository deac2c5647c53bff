// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

/**
 * A rule that a snapshot breaks.
 *
 * @param entry the configured entry, for example {@code tenant acme}
 * @param leaf path of the leaf within it, for example {@code attachment lan / vlan}
 * @param rule what is wrong and what would be right, one sentence without a full stop
 */
public record Violation(String entry, String leaf, String rule) {
    /** Further ones are not looked for: an error names some, and each costs memory while a change is judged. */
    static final int MOST = 10_000;

    /** A space behind a colon, and what would begin a line. */
    private static final String DIVIDING = "(?<=:) |\\p{Cntrl}";
    private static final String NO_BREAK_SPACE = "\u00a0";

    /** The same, in which the first two colons with a space end entry and leaf, although names may have such, too. */
    public String line() {
        return whole(entry) + ": " + whole(leaf) + ": " + rule.replaceAll("\\p{Cntrl}", NO_BREAK_SPACE);
    }

    private static String whole(final String words) {
        return words.replaceAll(DIVIDING, NO_BREAK_SPACE);
    }

    @Override
    public String toString() {
        return entry + ": " + leaf + ": " + rule;
    }
}
