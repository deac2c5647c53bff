// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.southbound.ovsdb.RowChange.Insert;
import io.penstock.southbound.ovsdb.RowChange.Mutate;
import io.penstock.southbound.ovsdb.RowChange.Update;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.opendaylight.ovsdb.lib.message.MonitorRequest;
import org.opendaylight.ovsdb.lib.message.MonitorSelect;
import org.opendaylight.ovsdb.lib.message.TableUpdate;
import org.opendaylight.ovsdb.lib.notation.Column;
import org.opendaylight.ovsdb.lib.notation.Condition;
import org.opendaylight.ovsdb.lib.notation.Function;
import org.opendaylight.ovsdb.lib.notation.Mutation;
import org.opendaylight.ovsdb.lib.notation.Mutator;
import org.opendaylight.ovsdb.lib.notation.OvsdbMap;
import org.opendaylight.ovsdb.lib.notation.OvsdbSet;
import org.opendaylight.ovsdb.lib.notation.Row;
import org.opendaylight.ovsdb.lib.notation.UUID;
import org.opendaylight.ovsdb.lib.operations.Operation;
import org.opendaylight.ovsdb.lib.operations.OperationResult;
import org.opendaylight.ovsdb.lib.operations.Select;
import org.opendaylight.ovsdb.lib.schema.DatabaseSchema;
import org.opendaylight.ovsdb.lib.schema.GenericTableSchema;

/**
 * Between this module's values and the library's operations, for the schema of one node. The generic rows are used, not
 * the library's typed tables: those know neither {@code Datapath} nor {@code CT_Zone}. Immutable.
 */
final class RowCodec {
    private final DatabaseSchema schema;

    private RowCodec(final DatabaseSchema schema) {
        this.schema = schema;
    }

    /**
     * Reads the answer to {@code get_schema}.
     *
     * @throws RuntimeException if it is no schema, or not one with the tables and columns used here
     */
    static RowCodec of(final JsonNode json) {
        final DatabaseSchema schema =
            DatabaseSchema.fromJson(OvsTables.DATABASE, json).withInternallyGeneratedColumns();
        OvsTables.CONFIGURATION.forEach((table, columns) -> require(schema, table, columns));
        OvsTables.MONITORED.forEach((table, columns) -> require(schema, table, columns));
        return new RowCodec(schema);
    }

    private static void require(final DatabaseSchema schema, final String table, final List<String> columns) {
        if (!schema.hasTable(table) || !table(schema, table).getColumns().containsAll(columns)) {
            throw new OvsdbException("the node's Open vSwitch is too old: table " + table + " lacks " + columns);
        }
    }

    private static GenericTableSchema table(final DatabaseSchema schema, final String name) {
        return schema.table(name, GenericTableSchema.class);
    }

    DatabaseSchema schema() {
        return schema;
    }

    /** What to follow, for {@code monitor}. */
    Map<String, MonitorRequest> monitorRequests() {
        final Map<String, MonitorRequest> result = new HashMap<>();
        OvsTables.MONITORED.forEach((table, columns) -> {
            final MonitorRequest request = new MonitorRequest(table, Set.copyOf(columns));
            request.setSelect(new MonitorSelect(true, true, true, true));
            result.put(table, request);
        });
        return result;
    }

    /** Reads what the node says of itself and no more; the result is for {@link #identity(List)}. */
    List<Operation<?>> identity() {
        final Select<GenericTableSchema> select = new Select<>(table(schema, OvsTables.ROOT));
        select.setColumns(List.of(OvsTables.UUID, OvsTables.EXTERNAL_IDS));
        return List.of(select);
    }

    /** The row that was read. */
    Optional<TableRow> identity(final List<OperationResult> results) {
        return view(List.of(OvsTables.ROOT), results).root();
    }

    /** Reads every row of the configuration; the results are for {@link #view}, with the same list of tables. */
    List<Operation<?>> selects(final List<String> tables) {
        final List<Operation<?>> result = new ArrayList<>();
        for (final String table : tables) {
            final Select<GenericTableSchema> select = new Select<>(table(schema, table));
            select.setColumns(OvsTables.CONFIGURATION.get(table));
            result.add(select);
        }
        return result;
    }

    /** Reads one row of the configuration; the result is for {@link #view}, of its table. */
    Operation<?> select(final String table, final Ref row) {
        final Select<GenericTableSchema> select = new Select<>(table(schema, table));
        select.setColumns(OvsTables.CONFIGURATION.get(table));
        select.addCondition(rowIs(row));
        return select;
    }

    /**
     * Reads what is counted of ports; the result is for {@link #view}, of the table of interfaces.
     *
     * @param port all of the database if empty
     */
    List<Operation<?>> statistics(final Optional<String> port) {
        final Select<GenericTableSchema> select = new Select<>(table(schema, OvsTables.INTERFACE));
        select.setColumns(OvsTables.COUNTED);
        port.ifPresent(name -> select.addCondition(new Condition("name", Function.EQUALS, name)));
        return List.of(select);
    }

    DatabaseView view(final List<String> tables, final List<OperationResult> results) {
        final Map<String, Map<Ref, TableRow>> result = new HashMap<>();
        for (int i = 0; i < tables.size(); i++) {
            final Map<Ref, TableRow> rows = new HashMap<>();
            for (final Row<GenericTableSchema> row : results.get(i).getRows()) {
                final Map<String, Object> columns = columns(row);
                final Ref ref = requireNonNull((Ref) columns.remove(OvsTables.UUID));
                rows.put(ref, new TableRow(ref, columns));
            }
            result.put(tables.get(i), rows);
        }
        return new DatabaseView(result);
    }

    /** The UUIDs of new rows by operation, of other operations an empty one. */
    static List<Ref> inserted(final List<OperationResult> results) {
        return results.stream().map(result -> new Ref(result.getUuid() == null ? "" : result.getUuid().toString()))
            .toList();
    }

    /**
     * Takes the rows of a monitor's first answer or of an update into the mirror.
     *
     * @return bytes of memory that the mirror takes more, or less, than before
     */
    long mirror(final Map<String, Map<Ref, TableRow>> mirror, final JsonNode updates) {
        final AtomicLong more = new AtomicLong();
        updates.fields().forEachRemaining(entry -> {
            final Map<Ref, TableRow> rows = mirror.computeIfAbsent(entry.getKey(), name -> new HashMap<>());
            final TableUpdate<GenericTableSchema> update =
                table(schema, entry.getKey()).updatesFromJson(entry.getValue());
            update.getRows().forEach((uuid, change) -> {
                final Ref ref = new Ref(uuid.toString());
                final TableRow row = change.getNew() == null ? null : new TableRow(ref, columns(change.getNew()));
                final TableRow old = row == null ? rows.remove(ref) : rows.put(ref, row);
                more.addAndGet((row == null ? 0 : row.bytes()) - (old == null ? 0 : old.bytes()));
            });
        });
        return more.get();
    }

    Operation<?> operation(final RowChange change) {
        final GenericTableSchema table = table(schema, change.table());
        if (change instanceof Insert insert) {
            final var operation = new org.opendaylight.ovsdb.lib.operations.Insert<>(table);
            operation.setUuidName(insert.row().id());
            operation.setRow(encodeRow(insert.columns()));
            return operation;
        }
        if (change instanceof Update update) {
            final var operation = new org.opendaylight.ovsdb.lib.operations.Update<>(table);
            operation.setRow(encodeRow(update.columns()));
            operation.addCondition(rowIs(update.row()));
            return operation;
        }
        final Mutate mutate = (Mutate) change;
        final var operation = new org.opendaylight.ovsdb.lib.operations.Mutate<>(table);
        final List<Mutation> mutations = new ArrayList<>();
        if (!mutate.remove().isEmpty()) {
            mutations.add(new Mutation(mutate.column(), Mutator.DELETE, encode(mutate.remove())));
        }
        if (!Set.of().equals(mutate.add()) && !Map.of().equals(mutate.add())) {
            mutations.add(new Mutation(mutate.column(), Mutator.INSERT, encode(mutate.add())));
        }
        operation.setMutations(mutations);
        operation.addCondition(rowIs(mutate.row()));
        return operation;
    }

    private static Condition rowIs(final Ref row) {
        return new Condition(OvsTables.UUID, Function.EQUALS, encode(row));
    }

    private static Map<String, Object> encodeRow(final Map<String, Object> columns) {
        final Map<String, Object> result = new HashMap<>();
        columns.forEach((name, value) -> result.put(name, encode(value)));
        return result;
    }

    private static Object encode(final Object value) {
        if (value instanceof Ref ref) {
            return new UUID(ref.id());
        }
        if (value instanceof Set<?> set) {
            final Set<Object> result = new HashSet<>();
            set.forEach(member -> result.add(encode(member)));
            return new OvsdbSet<>(result);
        }
        if (value instanceof Map<?, ?> map) {
            final Map<Object, Object> result = new HashMap<>();
            map.forEach((key, member) -> result.put(encode(key), encode(member)));
            return new OvsdbMap<>(result);
        }
        return value;
    }

    private static Map<String, Object> columns(final Row<GenericTableSchema> row) {
        final Map<String, Object> result = new HashMap<>();
        for (final Column<GenericTableSchema, ?> column : row.getColumns()) {
            if (column.getData() != null) {
                result.put(column.getSchema().getName(), decode(column.getData()));
            }
        }
        return result;
    }

    private static Object decode(final Object value) {
        if (value instanceof UUID uuid) {
            return new Ref(uuid.toString());
        }
        if (value instanceof Set<?> set) {
            final Set<Object> result = new HashSet<>();
            set.forEach(member -> result.add(decode(member)));
            return Set.copyOf(result);
        }
        if (value instanceof Map<?, ?> map) {
            final Map<Object, Object> result = new HashMap<>();
            map.forEach((key, member) -> result.put(decode(key), decode(member)));
            return Map.copyOf(result);
        }
        return value;
    }
}
