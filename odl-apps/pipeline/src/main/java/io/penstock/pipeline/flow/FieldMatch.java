// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

import static java.util.Objects.requireNonNull;

/**
 * One field has a value under a mask. Bits of the value outside the mask are zero, so that equal matches are equal
 * values.
 */
public record FieldMatch(MatchField field, long value, long mask) {
    public FieldMatch {
        requireNonNull(field);
        if (mask == 0 || (mask & ~field.fullMask()) != 0 || (value & ~mask) != 0) {
            throw new IllegalArgumentException(
                "%s: value 0x%x and mask 0x%x do not fit together".formatted(field, value, mask));
        }
    }

    /** An exact match. */
    public static FieldMatch of(final MatchField field, final long value) {
        return new FieldMatch(field, value, field.fullMask());
    }

    /** A match on some bits. */
    public static FieldMatch of(final FieldRange range, final long value) {
        return new FieldMatch(range.field(), range.place(value), range.mask());
    }

    /**
     * Both matches at once.
     *
     * @throws IllegalArgumentException when they are on different fields or on the same bits
     */
    FieldMatch and(final FieldMatch other) {
        if (other.field != field || (other.mask & mask) != 0) {
            throw new IllegalArgumentException("two matches on the same bits of " + field);
        }
        return new FieldMatch(field, value | other.value, mask | other.mask);
    }

    /** Whether all bits of the field are matched. */
    public boolean isExact() {
        return mask == field.fullMask();
    }
}
