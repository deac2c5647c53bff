// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Contract;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.CtTimeout;
import io.penstock.pipeline.registry.FieldGroup;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Compares docs/pipeline.md with registry and stages. Run with {@code -Dgolden.update} to generate it again. */
class PipelineDocumentTest {
    private static final Path FILE = Path.of("../../docs/pipeline.md");

    @Test
    void documentIsInSync() throws IOException {
        final String text = text();
        if (System.getProperty("golden.update") != null) {
            Files.writeString(FILE, text);
        }
        assertThat(text).isEqualTo(Files.readString(FILE));
    }

    private static String writers(final Table table) {
        final List<String> stages = Planner.STAGES.stream().filter(stage -> stage.tables().contains(table))
            .map(Stage::name).toList();
        if (!stages.isEmpty()) {
            return String.join(", ", stages);
        }
        final List<Table> learned = Arrays.stream(Table.values())
            .filter(other -> Contract.of(other).learns().contains(table)).toList();
        return learned.isEmpty() ? "no plan" : "flows of " + names(learned);
    }

    private static String names(final Collection<Table> tables) {
        return tables.stream().map(Table::text).collect(Collectors.joining(", "));
    }

    private static String fields(final Set<FieldGroup> groups) {
        return groups.stream().map(FieldGroup::text).collect(Collectors.joining(", "));
    }

    private static String text() {
        final StringBuilder text = new StringBuilder();
        text.append("""
            # The pipeline

            Generated from the package `io.penstock.pipeline.registry` and the stages; do not edit. Generate it again
            with `mvn -f odl-apps/pipeline/pom.xml test -Dgolden.update`. Flows with these names, and their labels, are
            in `odl-apps/pipeline/src/test/resources/golden` ([how to read them](testing.md#golden-plans)).

            ## Tables

            A packet that no other flow of a table matches meets the lowest flow of that table, which drops and counts
            it or names another action. Learned tables have no such flow: other tables resubmit packets to them, and a
            packet without a match there is not dropped.

            | number | table | written by | purpose | next tables |
            |---|---|---|---|---|
            """);
        for (final Table table : Table.values()) {
            final Set<Table> next = EnumSet.noneOf(Table.class);
            next.addAll(Contract.of(table).next());
            next.addAll(Contract.of(table).tracks());
            text.append("| %d | %s | %s | %s | %s |\n".formatted(table.number(), table.text(), writers(table),
                table.purpose(), names(next)));
        }
        contracts(text);
        text.append("""

            ## Registers

            | name | bits | first table | last table | meaning |
            |---|---|---|---|---|
            """);
        for (final Register register : Register.values()) {
            text.append("| %s | %s[%d..%d] | %s | %s | %s |\n".formatted(register, register.range().field().text(),
                register.range().low(), register.range().high(), register.first().text(), register.last().text(),
                register.meaning()));
        }
        text.append("""

            The ct_mark of a translated connection has bit value %d. For a connection to a port forward it also has the
            public port in bits %d to 31, and bit value %d for UDP. The conntrack zone of a tenant's translations is its
            VRF id; the zone of its access lists is 0x%x more.

            ## Cookies

            A cookie has the magic number 0x%x in 8 bits, the layout version %d in 8, the kind of the owner in 8,
            8 reserved bits, and the id of the owner in 32.

            | kind | owner |
            |---|---|
            """.formatted(Constants.TRANSLATED_MARK, Constants.FORWARD_PORT_SHIFT,
                Constants.FORWARD_UDP_MARK, VrfId.ACL_ZONES, Cookie.MAGIC, Cookie.LAYOUT_VERSION));
        for (final Cookie.Kind kind : Cookie.Kind.values()) {
            text.append("| %d | %s |\n".formatted(kind.number(), kind.meaning()));
        }
        text.append("""

            ## Priorities

            | rung | value |
            |---|---|
            | miss | %d |
            | low | %d |
            | normal | %d |
            | high | %d |
            | before high | %d |
            | chain rule | %d - index |
            | prefix | %d + length |
            | guard | %d |
            | first | %d |
            | ACL entry | %d - index |
            | top | %d |

            ## Meters

            | number | packets a second | burst | limits |
            |---|---|---|---|
            """.formatted(Priority.MISS, Priority.LOW, Priority.NORMAL, Priority.HIGH,
                Priority.BEFORE_HIGH, Priority.chainRule(0), Priority.prefix(0), Priority.GUARD, Priority.FIRST,
                Priority.aclEntry(0), Priority.TOP));
        for (final Meter meter : Meter.values()) {
            text.append("| %d | %d | %d | %s |\n".formatted(meter.number(), meter.rate(), meter.burst(),
                meter.meaning()));
        }
        text.append("""

            Each tenant has meters of its own, numbered VRF id * 8 + kind, of kind 8 %d + VRF id, and of kind 9
            %d + VRF id, where its services or limits need them.

            | kind | meter | packets a second, unless configured | limits |
            |---|---|---|---|
            """.formatted(TenantMeter.BLOCK_REQUESTS.number(VrfId.BACKBONE) - VrfId.BACKBONE.number(),
                TenantMeter.FRAGMENTS.number(VrfId.BACKBONE) - VrfId.BACKBONE.number()));
        for (final TenantMeter meter : TenantMeter.values()) {
            text.append("| %d | %s | %s | %s |\n".formatted(meter.kind(),
                meter.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                meter.rate() == 0 ? "none" : meter.rate(), meter.meaning()));
        }
        text.append("""

            ## Conntrack timeouts

            | name | seconds |
            |---|---|
            """);
        for (final CtTimeout timeout : CtTimeout.values()) {
            text.append("| %s | %d |\n".formatted(timeout.text(), timeout.seconds()));
        }
        return text.toString();
    }

    private static void contracts(final StringBuilder text) {
        text.append("""

            ## Contracts

            A contract has all that flows of a table may do; a stage can make no other flow
            ([ADR 58](adr/0058-tables-have-contracts.md)). A flow may use each register from its first table to its
            last. The last column has packets that no other flow of the table matches: they are dropped (drop), they
            continue in a table, the actions of a flow are all that happens (end), or there is no such flow (none).

            | table | matches | sets | looks up | after conntrack | learns | leaves by | others |
            |---|---|---|---|---|---|---|---|
            """);
        for (final Table table : Table.values()) {
            final Contract contract = Contract.of(table);
            text.append("| %s | %s | %s | %s | %s | %s | %s | %s |\n".formatted(table.text(),
                fields(contract.matches()), fields(contract.sets()), names(contract.lookups()),
                names(contract.tracks()), names(contract.learns()), contract.exits().stream()
                    .map(exit -> exit.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(", ")),
                contract.other()));
        }
        text.append("""

            | fields | of Open vSwitch (ovs-fields) |
            |---|---|
            """);
        for (final FieldGroup group : FieldGroup.values()) {
            text.append("| %s | %s |\n".formatted(group.text(),
                group.fields().stream().map(MatchField::text).collect(Collectors.joining(", "))));
        }
    }
}
