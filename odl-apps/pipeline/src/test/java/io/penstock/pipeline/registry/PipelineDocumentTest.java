// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Holds docs/pipeline.md against the registry. Run with {@code -Dgolden.update} to write it anew. */
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

    private static String text() {
        final StringBuilder text = new StringBuilder();
        text.append("""
            # The pipeline

            Generated from the package `io.penstock.pipeline.registry`; do not edit. Write it anew with
            `mvn -f odl-apps/pipeline/pom.xml test -Dgolden.update`. Whole plans as text, each flow with what it is for,
            are in `odl-apps/pipeline/src/test/resources/golden`.

            ## Tables

            What no flow of a table wants is dropped and counted, unless the table's lowest flow says otherwise. The
            learned tables have no such flow: they are looked up on the way, and to find nothing there is no drop.

            | number | table | written by | what it decides | goes on to |
            |---|---|---|---|---|
            """);
        for (final Table table : Table.values()) {
            text.append("| %d | %s | %s | %s | %s |\n".formatted(table.number(), table.text(),
                table.owner().name().toLowerCase(java.util.Locale.ROOT), table.purpose(),
                table.next().stream().map(Table::text).collect(Collectors.joining(", "))));
        }
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

            ct_mark of a connection has %d once it has its translation. One to a forwarded port has that public port in
            bits %d to 31, and %d for UDP. The conntrack zone of a tenant's
            translations is its VRF id, that of its access lists 0x%x more.

            ## Cookies

            Magic 0x%x in 8 bits, layout version %d in 8, owner kind in 8, reserved 8, owner id in 32.

            | kind | owner |
            |---|---|
            """.formatted(Constants.TRANSLATED_MARK, Constants.FORWARD_PORT_SHIFT,
                Constants.FORWARD_UDP_MARK, Constants.aclZone(0), Cookie.MAGIC, Cookie.LAYOUT_VERSION));
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
            | prefix | %d + length |
            | guard | %d |
            | first | %d |
            | ACL entry | %d - index |
            | top | %d |

            ## Meters

            | number | packets a second | burst | what it limits |
            |---|---|---|---|
            """.formatted(Priority.MISS, Priority.LOW, Priority.NORMAL, Priority.HIGH, Priority.prefix(0),
                Priority.GUARD, Priority.FIRST, Priority.aclEntry(0), Priority.TOP));
        for (final Meter meter : Meter.values()) {
            text.append("| %d | %d | %d | %s |\n".formatted(meter.number(), meter.rate(), meter.burst(),
                meter.meaning()));
        }
        text.append("""

            Each tenant has meters of its own, VRF id * 8 + kind, where its services or limits need them.

            | kind | meter | packets a second, unless configured | what it limits |
            |---|---|---|---|
            """);
        for (final TenantMeter meter : TenantMeter.values()) {
            text.append("| %d | %s | %s | %s |\n".formatted(meter.kind(),
                meter.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-'),
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
}
