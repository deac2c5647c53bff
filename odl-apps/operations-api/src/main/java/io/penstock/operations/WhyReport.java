// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;

/**
 * Why packets of a tenant do not pass.
 *
 * @param cause a name of the reason that stays the same in all releases, such as {@code port-down}; {@code none} if no
 *     fault was found
 * @param answer one sentence
 * @param remedy what to do, in one sentence; empty if there is nothing to do
 * @param steps what was looked at, in the order of the packet
 */
public record WhyReport(String cause, String answer, String remedy, List<WhyStep> steps) {
    public WhyReport {
        steps = List.copyOf(steps);
    }

    /**
     * One thing that was looked at.
     *
     * @param stage where the packet is, such as {@code port}, {@code route} or {@code translation}
     * @param cause of the fault or notice; empty where packets pass
     * @param text one sentence
     * @param remedy what to do; empty if there is nothing to do
     */
    public record WhyStep(String stage, Verdict verdict, String cause, String text, String remedy) { }

    /** What was found. */
    public enum Verdict {
        /** Packets pass. */
        PASSES,
        /** Packets pass now, but an operator should know of this. */
        NOTICE,
        /** It could not be found out whether packets pass. */
        UNKNOWN,
        /** Packets do not pass. */
        FAILS
    }
}
