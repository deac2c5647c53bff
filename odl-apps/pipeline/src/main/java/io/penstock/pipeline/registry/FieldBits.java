// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Bits of fields that flows of a table may use: some headers, and the registers that live there. Small, because each
 * flow of each plan is held against it.
 */
final class FieldBits {
    private static final int REGISTERS = 16;

    private final Set<MatchField> headers = EnumSet.noneOf(MatchField.class);
    private final long[] registers = new long[REGISTERS];

    FieldBits(final Table table, final Set<FieldGroup> groups) {
        groups.forEach(group -> headers.addAll(group.fields()));
        for (final Register register : Register.values()) {
            if (register.livesIn(table)) {
                register.range().parts().forEach(part -> registers[index(part.field())] |= part.mask());
            }
        }
    }

    private static int index(final MatchField register) {
        return register.ordinal() - MatchField.REG0.ordinal();
    }

    boolean has(final FieldMatch match) {
        return match.field().isRegister() ? dead(match.field(), match.mask()) == 0 : headers.contains(match.field());
    }

    boolean has(final FieldRange range) {
        return range.field().isRegister() ? lives(range) : headers.contains(range.field());
    }

    boolean has(final MatchField header) {
        return headers.contains(header);
    }

    private boolean lives(final FieldRange range) {
        return index(range.field()) < REGISTERS ? dead(range.field(), range.mask()) == 0
            : range.parts().stream().allMatch(this::lives);
    }

    /** Which of these bits belong to no register that lives. */
    private long dead(final MatchField register, final long mask) {
        return mask & ~registers[index(register)];
    }

    /** Names what of a match of a flow is not there. */
    String lacking(final FieldMatch match) {
        if (!match.field().isRegister()) {
            return match.field().text();
        }
        final long dead = dead(match.field(), match.mask());
        return lacking(new FieldRange(match.field(), Long.SIZE - 1 - Long.numberOfLeadingZeros(dead),
            Long.numberOfTrailingZeros(dead)));
    }

    /** Names what of a range is not there. */
    String lacking(final FieldRange range) {
        if (!range.field().isRegister()) {
            return range.field().text();
        }
        final String names = Arrays.stream(Register.values())
            .filter(register -> register.range().overlaps(range) && !lives(register.range())).map(Register::name)
            .collect(Collectors.joining(", "));
        return names.isEmpty() ? range + ", which means nothing" : names + ", which does not live there";
    }
}
