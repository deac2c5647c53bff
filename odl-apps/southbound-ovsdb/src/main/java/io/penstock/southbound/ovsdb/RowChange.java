// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.Map;
import java.util.Set;

/** One step of a transaction. Values are String, Long, Boolean, {@link Ref}, or a Set or Map of these. */
sealed interface RowChange {
    /** Table the row is in. */
    String table();

    /** A new row that other steps of the transaction may refer to. */
    record Insert(String table, Ref row, Map<String, Object> columns) implements RowChange { }

    /** Sets columns of a row to these values, whatever they are now. */
    record Update(String table, Ref row, Map<String, Object> columns) implements RowChange { }

    /**
     * Changes one set or map column by what differs, so that a large column is not sent whole and other entries,
     * written by somebody else meanwhile, stay.
     *
     * @param remove members of the set, or keys of the map, taken out first
     * @param add a Set or a Map put in after that
     */
    record Mutate(String table, Ref row, String column, Set<?> remove, Object add) implements RowChange { }
}
