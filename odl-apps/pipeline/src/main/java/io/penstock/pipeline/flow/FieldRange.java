// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;

/** The bits {@code high..low} of a field, both included, bit 0 the least significant. */
public record FieldRange(MatchField field, int high, int low) {
    public FieldRange {
        requireNonNull(field);
        if (low < 0 || high < low || high >= field.bits()) {
            throw new IllegalArgumentException(field + " has no bits " + high + ".." + low);
        }
    }

    /** As many low bits, none for a negative number, 64 for a greater one. */
    static long ones(final int bits) {
        return bits <= 0 ? 0 : -1L >>> Long.SIZE - Math.min(bits, Long.SIZE);
    }

    /** Number of bits. */
    public int bits() {
        return high - low + 1;
    }

    /** Mask of these bits within the field, or within its low 64 bits. */
    public long mask() {
        return ones(high + 1) & ~ones(low);
    }

    /** Mask of these bits within what the field has beyond 64 bits. */
    public long maskHigh() {
        return ones(high + 1 - Long.SIZE) & ~ones(low - Long.SIZE);
    }

    /** Whether these are all bits of the field. */
    public boolean isWhole() {
        return bits() == field.bits();
    }

    /**
     * Moves a value to its place within the field, or within its low 64 bits.
     *
     * @param value unsigned
     * @throws IllegalArgumentException when the value needs more bits than there are
     */
    public long place(final long value) {
        if ((value & ~ones(bits())) != 0) {
            throw new IllegalArgumentException(value + " does not fit the " + bits() + " bits of " + this);
        }
        return low >= Long.SIZE ? 0 : value << low;
    }

    /** What of a value comes beyond the low 64 bits of the field when it is moved to its place. */
    long placeHigh(final long value) {
        if (low >= Long.SIZE) {
            return value << low - Long.SIZE;
        }
        return low == 0 ? 0 : value >>> Long.SIZE - low;
    }

    /** The same bits by the names of single registers; only bits of a wide register are more than one range. */
    public List<FieldRange> parts() {
        final List<MatchField> fields = field.parts();
        if (fields.isEmpty()) {
            return List.of(this);
        }
        final List<FieldRange> parts = new ArrayList<>();
        int first = field.bits();
        for (final MatchField part : fields) {
            first -= part.bits();
            if (high >= first && low < first + part.bits()) {
                parts.add(new FieldRange(part, Math.min(high - first, part.bits() - 1), Math.max(low - first, 0)));
            }
        }
        return parts;
    }

    /** Whether a bit is in both, under whatever name. */
    public boolean overlaps(final FieldRange other) {
        return parts().stream().anyMatch(one -> other.parts().stream().anyMatch(two ->
            one.field == two.field && one.low <= two.high && two.low <= one.high));
    }

    /** In ovs-ofctl text: {@code NXM_NX_REG0[0..15]}, {@code NXM_NX_REG1[]}. */
    @Override
    public String toString() {
        // Bit 12 of OXM_OF_VLAN_VID says that there is a tag.
        if (isWhole() && field != MatchField.VLAN_VID) {
            return field.nxm() + "[]";
        }
        return field.nxm() + (bits() == 1 ? "[" + low + "]" : "[" + low + ".." + high + "]");
    }
}
