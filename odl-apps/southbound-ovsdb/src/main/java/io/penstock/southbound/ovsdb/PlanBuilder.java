// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import io.penstock.southbound.ovsdb.RowChange.Insert;
import io.penstock.southbound.ovsdb.RowChange.Mutate;
import io.penstock.southbound.ovsdb.RowChange.Update;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Collects the steps of one transaction and leaves out those that would change nothing. Not thread-safe. */
final class PlanBuilder {
    private final List<RowChange> changes = new ArrayList<>();
    private int inserted;

    /** Plans a new row and returns the name by which the transaction knows it. */
    Ref insert(final String table, final Map<String, Object> columns) {
        // A letter first, and never the form of a UUID: the library tells names from UUIDs by that.
        final Ref ref = new Ref("row" + ++inserted);
        changes.add(new Insert(table, ref, Map.copyOf(columns)));
        return ref;
    }

    /** Plans those columns that differ. */
    void update(final String table, final TableRow row, final Map<String, Object> wanted) {
        final Map<String, Object> differing = row.differing(wanted);
        if (!differing.isEmpty()) {
            changes.add(new Update(table, row.ref(), differing));
        }
    }

    /** Plans a set column: these out, those in. */
    void mutateSet(final String table, final TableRow row, final String column, final Collection<?> remove,
            final Collection<?> add) {
        mutate(table, row.ref(), column, Set.copyOf(remove), Set.copyOf(add));
    }

    /** Plans columns of a row that is not known. */
    void set(final String table, final Ref row, final Map<String, Object> wanted) {
        changes.add(new Update(table, row, Map.copyOf(wanted)));
    }

    /** Plans a map column: entries of other keys are removed if {@code owned}, the wanted ones put in or replaced. */
    void mutateMap(final String table, final TableRow row, final String column, final Map<?, ?> wanted,
            final Predicate<Object> owned) {
        final Set<Object> remove = new HashSet<>();
        final Map<Object, Object> add = new HashMap<>(wanted);
        row.map(column).forEach((key, value) -> {
            if (value.equals(wanted.get(key))) {
                add.remove(key);
            } else if (owned.test(key) || wanted.containsKey(key)) {
                // Also before a replacement: inserting into a map keeps the value of a key that is there.
                remove.add(key);
            }
        });
        mutate(table, row.ref(), column, remove, add);
    }

    /** Plans a map column: these keys out, then those entries in. */
    void mutate(final String table, final Ref row, final String column, final Set<?> remove, final Map<?, ?> add) {
        mutate(table, row, column, Set.copyOf(remove), (Object) Map.copyOf(add));
    }

    private void mutate(final String table, final Ref row, final String column, final Set<?> remove,
            final Object add) {
        if (!remove.isEmpty() || !add.equals(Map.of()) && !add.equals(Set.of())) {
            changes.add(new Mutate(table, row, column, remove, add));
        }
    }

    List<RowChange> changes() {
        return List.copyOf(changes);
    }
}
