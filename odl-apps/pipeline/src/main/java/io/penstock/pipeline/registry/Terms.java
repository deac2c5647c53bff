// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A contract as {@link Table} states it. Nothing is permitted that is not stated, but registers, which have their
 * lives. Tables are names, for a table leads to tables that are declared behind it.
 *
 * @param permitted names of what is permitted
 * @param missTo where {@link Miss#NEXT} leads
 */
record Terms(Map<Clause, Set<String>> permitted, Miss miss, String missTo, boolean steers) {
    /** The subject of a permission. */
    enum Clause {
        /** Fields that flows match, by {@link FieldGroup}. */
        MATCHES,
        /** Fields that actions change, likewise. */
        SETS,
        /** Tables that flows lead to by goto_table. */
        NEXT,
        /** Tables that actions look up (resubmit). */
        LOOKS_UP,
        /** Tables where packets go on after connection tracking. */
        TRACKS_TO,
        /** Tables that actions write (learn). */
        LEARNS,
        /** How packets leave the switch, by {@link Exit}. */
        LEAVES
    }

    /** A table that matches these fields, and drops what it does not know. */
    static Terms matches(final FieldGroup... groups) {
        return new Terms(Map.of(), Miss.DROP, "", false).and(Clause.MATCHES, names(groups));
    }

    Terms sets(final FieldGroup... groups) {
        return and(Clause.SETS, names(groups));
    }

    Terms to(final String... tables) {
        return and(Clause.NEXT, List.of(tables));
    }

    Terms looksUp(final String... tables) {
        return and(Clause.LOOKS_UP, List.of(tables));
    }

    /** Before that, fragments are limited. */
    Terms tracksTo(final String... tables) {
        return and(Clause.TRACKS_TO, List.of(tables)).looksUp("FRAGMENTS");
    }

    Terms learns(final String... tables) {
        return and(Clause.LEARNS, List.of(tables));
    }

    Terms leaves(final Exit... exits) {
        return and(Clause.LEAVES, names(exits));
    }

    /** Packets that other flows do not match go on there. */
    Terms missesTo(final String table) {
        return new Terms(permitted, Miss.NEXT, table, steers).to(table);
    }

    Terms misses(final Miss end) {
        return new Terms(permitted, end, missTo, steers);
    }

    /** See {@link Table#steers}. */
    Terms steering() {
        return new Terms(permitted, miss, missTo, true);
    }

    private Terms and(final Clause clause, final List<String> names) {
        final Map<Clause, Set<String>> more = new EnumMap<>(Clause.class);
        more.putAll(permitted);
        more.merge(clause, new LinkedHashSet<>(names), (before, added) -> {
            added.addAll(before);
            return added;
        });
        return new Terms(more, miss, missTo, steers);
    }

    private static List<String> names(final Enum<?>... constants) {
        return Stream.of(constants).map(Enum::name).toList();
    }
}
