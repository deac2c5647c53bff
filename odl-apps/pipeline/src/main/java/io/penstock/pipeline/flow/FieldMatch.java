// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import java.util.ArrayList;
import java.util.List;

/**
 * One field has a value under a mask. Bits of the value outside the mask are zero, so that equal matches are equal
 * values.
 *
 * @param valueHigh what the value has beyond 64 bits, 0 for most fields
 * @param value its low 64 bits
 * @param maskHigh what the mask has beyond 64 bits, 0 for most fields
 * @param mask its low 64 bits
 */
public record FieldMatch(MatchField field, long valueHigh, long value, long maskHigh, long mask) {
    public FieldMatch {
        requireNonNull(field);
        if ((mask | maskHigh) == 0 || !fits(mask, field.fullMask()) || !fits(maskHigh, field.fullMaskHigh())
                || !fits(value, mask) || !fits(valueHigh, maskHigh)) {
            throw new IllegalArgumentException("%s: value 0x%x, 0x%x and mask 0x%x, 0x%x do not fit together"
                .formatted(field, valueHigh, value, maskHigh, mask));
        }
    }

    /** A match on bits of the low 64. */
    public FieldMatch(final MatchField field, final long value, final long mask) {
        this(field, 0, value, 0, mask);
    }

    private static boolean fits(final long inner, final long outer) {
        return (inner & ~outer) == 0;
    }

    /** An exact match. */
    public static FieldMatch of(final MatchField field, final long value) {
        return new FieldMatch(field, 0, value, field.fullMaskHigh(), field.fullMask());
    }

    /** An exact match on 128 bits. */
    public static FieldMatch of(final MatchField field, final Ipv6 value) {
        return new FieldMatch(field, value.high(), value.low(), field.fullMaskHigh(), field.fullMask());
    }

    /** An exact match on an IPv4 address. */
    public static FieldMatch of(final MatchField field, final Ipv4 value) {
        return of(field, value.number());
    }

    /** An exact match on a MAC address. */
    public static FieldMatch of(final MatchField field, final Mac value) {
        return of(field, value.number());
    }

    /** A match on some bits. */
    public static FieldMatch of(final FieldRange range, final long value) {
        return new FieldMatch(range.field(), range.placeHigh(value), range.place(value), range.maskHigh(),
            range.mask());
    }

    /** A match of an address field on a prefix: none for the default prefix. */
    public static List<FieldMatch> in(final MatchField field, final Prefix prefix) {
        return prefix.length() == 0 ? List.of() : List.of(new FieldMatch(field, prefix.address().number(),
            prefix.mask().number()));
    }

    /** A match of an address field on a prefix: none for the default prefix. */
    public static List<FieldMatch> in(final MatchField field, final Prefix6 prefix) {
        return prefix.length() == 0 ? List.of() : List.of(prefix(field, prefix.address(), prefix.length()));
    }

    /**
     * A match on the first bits of an IPv6 address.
     *
     * @param length how many, 1..128
     * @throws IllegalArgumentException when the address has bits behind them
     */
    public static FieldMatch prefix(final MatchField field, final Ipv6 address, final int length) {
        final Ipv6 mask = Ipv6.mask(length);
        return new FieldMatch(field, address.high(), address.low(), mask.high(), mask.low());
    }

    /**
     * Both matches at once.
     *
     * @throws IllegalArgumentException when they are on different fields or on the same bits
     */
    FieldMatch and(final FieldMatch other) {
        if (other.field != field || (other.mask & mask) != 0 || (other.maskHigh & maskHigh) != 0) {
            throw new IllegalArgumentException("two matches on the same bits of " + field);
        }
        return new FieldMatch(field, valueHigh | other.valueHigh, value | other.value, maskHigh | other.maskHigh,
            mask | other.mask);
    }

    /** The same match by the names of single registers; only one on a wide register is more than one match. */
    List<FieldMatch> parts() {
        final List<MatchField> fields = field.parts();
        if (fields.isEmpty()) {
            return List.of(this);
        }
        final List<FieldMatch> parts = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            final long partMask = word(i, maskHigh, mask);
            if (partMask != 0) {
                parts.add(new FieldMatch(fields.get(i), word(i, valueHigh, value), partMask));
            }
        }
        return parts;
    }

    private static long word(final int index, final long high, final long low) {
        return (index < 2 ? high : low) >>> (index % 2 == 0 ? Integer.SIZE : 0) & 0xffffffffL;
    }

    /** Whether all bits of the field are matched. */
    public boolean isExact() {
        return mask == field.fullMask() && maskHigh == field.fullMaskHigh();
    }
}
