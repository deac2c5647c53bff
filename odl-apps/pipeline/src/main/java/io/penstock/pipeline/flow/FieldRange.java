// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

import static java.util.Objects.requireNonNull;

/** The bits {@code high..low} of a field, both included, bit 0 the least significant. */
public record FieldRange(MatchField field, int high, int low) {
    public FieldRange {
        requireNonNull(field);
        if (low < 0 || high < low || high >= field.bits()) {
            throw new IllegalArgumentException(field + " has no bits " + high + ".." + low);
        }
    }

    /** Number of bits. */
    public int bits() {
        return high - low + 1;
    }

    /** Mask of these bits within the field. */
    public long mask() {
        return ((1L << bits()) - 1) << low;
    }

    /** Whether these are all bits of the field. */
    public boolean isWhole() {
        return bits() == field.bits();
    }

    /**
     * Moves a value to its place within the field.
     *
     * @throws IllegalArgumentException when the value needs more bits than there are
     */
    public long place(final long value) {
        if (value < 0 || value >>> bits() != 0) {
            throw new IllegalArgumentException(value + " does not fit the " + bits() + " bits of " + this);
        }
        return value << low;
    }

    /** In ovs-ofctl text: {@code NXM_NX_REG0[0..15]}, {@code NXM_NX_REG1[]}. */
    @Override
    public String toString() {
        if (isWhole()) {
            return field.nxm() + "[]";
        }
        return field.nxm() + (bits() == 1 ? "[" + low + "]" : "[" + low + ".." + high + "]");
    }
}
