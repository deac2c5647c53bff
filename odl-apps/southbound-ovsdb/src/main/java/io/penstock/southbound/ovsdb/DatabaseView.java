// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a database at one moment.
 *
 * @param tables by table name, by row
 */
record DatabaseView(Map<String, Map<Ref, TableRow>> tables) {
    Collection<TableRow> rows(final String table) {
        return tables.getOrDefault(table, Map.of()).values();
    }

    /** The row a value refers to, if it is there; of null none. */
    Optional<TableRow> row(final String table, final @Nullable Object ref) {
        return ref == null ? Optional.empty() : Optional.ofNullable(tables.getOrDefault(table, Map.of()).get(ref));
    }

    Optional<TableRow> named(final String table, final String name) {
        return rows(table).stream().filter(row -> name.equals(row.text("name"))).findFirst();
    }

    /** The one row of table {@code Open_vSwitch}. */
    Optional<TableRow> root() {
        return rows(OvsTables.ROOT).stream().findFirst();
    }
}
