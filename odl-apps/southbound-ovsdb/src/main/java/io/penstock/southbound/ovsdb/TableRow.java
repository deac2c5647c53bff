// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static java.util.Objects.requireNonNull;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One row, by column. A column that may be empty is a Set, as OVSDB has it.
 *
 * @param ref the row's UUID
 * @param columns values as in {@link RowChange}
 */
record TableRow(Ref ref, Map<String, Object> columns) {
    private static final long PART_BYTES = 100;

    TableRow {
        requireNonNull(ref);
        columns = Map.copyOf(columns);
    }

    /** Bytes of memory that it takes with its columns, roughly. */
    long bytes() {
        return PART_BYTES + bytes(columns);
    }

    private static long bytes(final Object value) {
        if (value instanceof Map<?, ?> map) {
            return PART_BYTES + map.entrySet().stream()
                .mapToLong(entry -> bytes(entry.getKey()) + bytes(entry.getValue())).sum();
        }
        if (value instanceof Set<?> set) {
            return PART_BYTES + set.stream().mapToLong(TableRow::bytes).sum();
        }
        return PART_BYTES + (value instanceof String text ? 2L * text.length() : 0);
    }

    String text(final String column) {
        return columns.get(column) instanceof String text ? text : "";
    }

    boolean flag(final String column) {
        return Boolean.TRUE.equals(columns.get(column));
    }

    /** The members of a set column; of an absent one none. */
    Set<?> set(final String column) {
        final Object value = columns.get(column);
        if (value == null) {
            return Set.of();
        }
        return value instanceof Set<?> set ? set : Set.of(value);
    }

    Map<?, ?> map(final String column) {
        return columns.get(column) instanceof Map<?, ?> map ? map : Map.of();
    }

    /** The value of a column that holds one or none. */
    Optional<?> optional(final String column) {
        return set(column).stream().findFirst();
    }

    /** Those of the wanted columns that have another value here. */
    Map<String, Object> differing(final Map<String, Object> wanted) {
        final Map<String, Object> result = new HashMap<>();
        wanted.forEach((column, value) -> {
            if (!value.equals(columns.get(column))) {
                result.put(column, value);
            }
        });
        return result;
    }
}
