// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A flow as it is wanted on, or was read from, a switch. Immutable; the matches are kept in the order of
 * {@link MatchField}, one a field, those on wide registers as matches on their parts, as a switch tells of them; so
 * equal flows are equal values. No actions and no next table means drop, and so does a flow that only
 * reports drops.
 *
 * @param idleTimeout seconds, 0 for none
 */
public record FlowSpec(Table table, int priority, List<FieldMatch> matches, List<Action> actions,
        Optional<Table> next, long cookie, int idleTimeout) {
    /** Where a flow that drops packets, and shows some of them to the controller, puts its number. */
    public static final FieldRange DROP_NUMBER = new FieldRange(MatchField.REG12, 31, 16);

    public FlowSpec {
        requireNonNull(table);
        requireNonNull(next);
        if (priority < 0 || priority > 0xffff) {
            throw new IllegalArgumentException("priority " + priority);
        }
        matches = merged(matches);
        actions = List.copyOf(actions);
    }

    private static List<FieldMatch> merged(final List<FieldMatch> matches) {
        final List<FieldMatch> merged = new ArrayList<>(matches.size());
        for (final FieldMatch match : matches) {
            if (match.field().parts().isEmpty()) {
                merge(merged, match);
            } else {
                match.parts().forEach(part -> merge(merged, part));
            }
        }
        return List.copyOf(merged);
    }

    private static void merge(final List<FieldMatch> merged, final FieldMatch match) {
        int place = merged.size();
        while (place > 0 && merged.get(place - 1).field().compareTo(match.field()) > 0) {
            place--;
        }
        if (place > 0 && merged.get(place - 1).field() == match.field()) {
            merged.set(place - 1, merged.get(place - 1).and(match));
        } else {
            merged.add(place, match);
        }
    }

    /** What a switch knows a flow by: two flows with the same key cannot both be in a table. */
    public record Key(Table table, int priority, List<FieldMatch> matches) { }

    /** The identity of this flow on a switch. */
    public Key key() {
        return new Key(table, priority, matches);
    }

    /** Whether a packet ends here without leaving, be it that the controller is shown some of them. */
    public boolean isDrop() {
        return next.isEmpty() && actions.isEmpty() || reportsDrops();
    }

    /** Whether it drops packets and shows some of them to the controller: meter, number, output, and no more. */
    public boolean reportsDrops() {
        return next.isEmpty() && actions.size() == 3 && actions.get(1) instanceof Action.Load number
            && number.target().equals(DROP_NUMBER);
    }

    /** In ovs-ofctl text with table names. */
    @Override
    public String toString() {
        return FlowText.NAMES.render(this);
    }
}
