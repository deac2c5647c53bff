// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.Terms.Clause;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that flows of a table may do: which fields they match and set, and where they lead packets. Registers need no
 * permission: flows use those that live in their table ({@link Register#first} to {@link Register#last}), and no bit
 * that means nothing. Stages are held to it as they make a flow; flows that a switch tells of are not. Safe for all
 * threads.
 */
public final class Contract {
    private static final Map<Table, Contract> ALL = Arrays.stream(Table.values()).collect(Collectors.toMap(
        each -> each, each -> new Contract(each, each.terms()), (one, two) -> two, () -> new EnumMap<>(Table.class)));

    private static final int PREFIXES = 3;
    /** Those that most tables match first. */
    private static final List<MatchField> ADDRESSES =
        List.of(MatchField.IP_DST, MatchField.IP_SRC, MatchField.IPV6_DST, MatchField.IPV6_SRC);

    private final Terms terms;
    private final FieldBits matched;
    private final FieldBits set;
    private final Set<Table> next;
    private final Set<Table> lookups;
    private final Set<Table> tracks;
    private final Set<Table> learns;
    private final Set<Exit> exits;

    Contract(final Table table, final Terms terms) {
        this.terms = terms;
        matched = new FieldBits(table, matches());
        set = new FieldBits(table, sets());
        next = named(Clause.NEXT, Table.class);
        lookups = named(Clause.LOOKS_UP, Table.class);
        tracks = named(Clause.TRACKS_TO, Table.class);
        learns = named(Clause.LEARNS, Table.class);
        exits = named(Clause.LEAVES, Exit.class);
    }

    private <E extends Enum<E>> Set<E> named(final Clause clause, final Class<E> kind) {
        final Set<E> named = EnumSet.noneOf(kind);
        terms.permitted().getOrDefault(clause, Set.of()).forEach(name -> named.add(Enum.valueOf(kind, name)));
        return named;
    }

    /** The contract of a table. */
    public static Contract of(final Table table) {
        return requireNonNull(ALL.get(table));
    }

    /** Fields that flows may match. */
    public Set<FieldGroup> matches() {
        return named(Clause.MATCHES, FieldGroup.class);
    }

    /** Fields that actions may change. Connection tracking changes others, by what a connection has. */
    public Set<FieldGroup> sets() {
        return named(Clause.SETS, FieldGroup.class);
    }

    /**
     * Three address fields in the words of the column {@code prefixes}, those first that flows may match. Open vSwitch
     * keeps a prefix tree of each. Without one, a flow on a whole address makes a cached flow for each address. Before
     * 3.5 a table has three trees at most (CLS_MAX_TRIES, lib/classifier.h). The text says ip_ where OpenFlow says nw_,
     * as the rows of nodes that run: another spelling would write each row again.
     */
    public Set<String> prefixes() {
        return Stream.concat(ADDRESSES.stream().filter(matched::has), ADDRESSES.stream()).distinct().limit(PREFIXES)
            .map(field -> field.text().replace("nw_", "ip_")).collect(Collectors.toSet());
    }

    /** Tables that flows may lead to by goto_table. */
    public Set<Table> next() {
        return Collections.unmodifiableSet(next);
    }

    /** Tables that actions may look up (resubmit). */
    public Set<Table> lookups() {
        return Collections.unmodifiableSet(lookups);
    }

    /** Tables where packets may go on after connection tracking. */
    public Set<Table> tracks() {
        return Collections.unmodifiableSet(tracks);
    }

    /** Tables into which actions may learn. */
    public Set<Table> learns() {
        return Collections.unmodifiableSet(learns);
    }

    /** How packets may leave the switch. */
    public Set<Exit> exits() {
        return Collections.unmodifiableSet(exits);
    }

    /** The fate of packets that no other flow matches, in a word or the name of the next table. */
    public String other() {
        return terms.miss() == Miss.NEXT ? Table.valueOf(terms.missTo()).text()
            : terms.miss().name().toLowerCase(Locale.ROOT);
    }

    /** Says how a flow of the table breaks the contract; empty when it does not. */
    public Optional<String> breach(final FlowSpec flow) {
        for (final FieldMatch match : flow.matches()) {
            if (!matched.has(match)) {
                return Optional.of("may not match " + matched.lacking(match));
            }
        }
        final String breach = breachOf(flow.actions());
        if (breach != null) {
            return Optional.of(breach);
        }
        if (flow.next().isPresent() && !next.contains(flow.next().orElseThrow())) {
            return Optional.of("may not lead to " + flow.next().orElseThrow().text());
        }
        return flow.priority() != Priority.MISS || isMiss(flow) ? Optional.empty()
            : Optional.of("is not what becomes of all other packets: " + other());
    }

    private boolean isMiss(final FlowSpec flow) {
        return flow.matches().isEmpty() && switch (terms.miss()) {
            case DROP -> flow.isDrop();
            case NEXT -> flow.next().filter(table -> table.name().equals(terms.missTo())).isPresent();
            case END -> flow.next().isEmpty() && !flow.isDrop();
            case NONE -> false;
        };
    }

    /** Says how actions do, likewise; null when they do not. */
    private @Nullable String breachOf(final List<Action> actions) {
        boolean isLed = false;
        boolean isLimited = false;
        for (final Action action : actions) {
            if (action instanceof Action.ConnTrack && !isLed) {
                return "may not track packets without a table to go on in";
            } else if (isTracking(action) && !isLimited) {
                return "may not track packets without a look into " + Table.FRAGMENTS.text() + " directly before";
            }
            final boolean leads = action instanceof Action.Load load && load.target().equals(Register.AFTER.range());
            // What comes between could change the zone, and so the tenant that the look was for.
            isLimited = action instanceof Action.Resubmit lookup && lookup.table() == Table.FRAGMENTS
                || isLimited && leads;
            isLed = isLed || leads;
            final String breach = breachOf(action);
            if (breach != null) {
                return breach;
            }
        }
        return null;
    }

    /** Says how an action does, likewise. */
    private @Nullable String breachOf(final Action action) {
        if (action instanceof Action.Load load) {
            return first(set(load.target()), breachOfAfter(load));
        } else if (action instanceof Action.SetField change) {
            return set.has(change.field()) ? null : set(change.field().range());
        } else if (action instanceof Action.Move move) {
            return first(read(move.source()), set(move.target()));
        } else if (action instanceof Action.Meter || action instanceof Action.Sample
                || action instanceof Action.PushMpls || action instanceof Action.PopMpls) {
            return null;
        } else if (action instanceof Action.CheckPktLarger check) {
            return set(check.result());
        } else if (action instanceof Action.KeepLabel) {
            return "may not keep labels but in a copy of its own: what else conntrack releases would go on";
        } else if (action instanceof Action.Clone copy) {
            return breachOfCopy(copy.actions());
        } else if (action instanceof Action.Conjunction) {
            return matched.has(MatchField.CONJ_ID) ? null : "may not match " + MatchField.CONJ_ID.text();
        }
        final MatchField header = changedBy(action);
        return header == null ? breachOfWay(action) : set(header.range());
    }

    /** A copy may also keep a label, and do nothing else: fragments that conntrack releases then end with the copy. */
    private @Nullable String breachOfCopy(final List<Action> actions) {
        if (actions.size() != 1 || !(actions.get(0) instanceof Action.KeepLabel keep)) {
            return breachOf(actions);
        }
        return first(zone(keep.zone()), first(read(keep.label().source()), set(keep.label().target())));
    }

    private static boolean isTracking(final Action action) {
        return action instanceof Action.ConnTrack || action instanceof Action.Clone copy && copy.actions().size() == 1
            && copy.actions().get(0) instanceof Action.KeepLabel;
    }

    private static @Nullable String zone(final FieldRange zone) {
        return zone.equals(Register.ZONE.range()) ? null : "may not track packets in the zone of " + zone;
    }

    private @Nullable String breachOfAfter(final Action.Load load) {
        return !load.target().equals(Register.AFTER.range())
            || Table.ofNumber((int) load.value()).filter(tracks::contains).isPresent() ? null
            : "may not track packets for " + Table.ofNumber((int) load.value()).map(Table::text).orElse("no table");
    }

    /** The field by which an action changes headers that no other action can change. */
    private static @Nullable MatchField changedBy(final Action action) {
        if (action instanceof Action.PushVlan || action instanceof Action.PopVlan) {
            return MatchField.VLAN_VID;
        } else if (action instanceof Action.DecTtl) {
            return MatchField.IP_TTL;
        } else if (action instanceof Action.EncapNsh || action instanceof Action.Decap) {
            return MatchField.NSH_MDTYPE;
        } else if (action instanceof Action.EncapEthernet) {
            return MatchField.ETH_DST;
        }
        return action instanceof Action.ClearConnTrack ? MatchField.CT_STATE : null;
    }

    /** Of actions that say where a packet, or a copy of it, goes. */
    private @Nullable String breachOfWay(final Action action) {
        if (action instanceof Action.Output || action instanceof Action.OutputInPort) {
            return exits.contains(Exit.PORT) ? null : "may not send packets to a port";
        } else if (action instanceof Action.Controller) {
            return exits.contains(Exit.CONTROLLER) ? null : "may not send packets to the controller";
        } else if (action instanceof Action.Resubmit lookup) {
            return lookups.contains(lookup.table()) ? null : "may not look up " + lookup.table().text();
        } else if (action instanceof Action.ConnTrack ct) {
            final String breach = ct.table() == Table.TRACKED ? zone(ct.zone())
                : "may not lead from conntrack past " + Table.TRACKED.text();
            return breach != null || ct.mark().isEmpty() ? breach : set(ct.mark().orElseThrow().target());
        } else if (action instanceof Action.Learn learn) {
            return breachOfLearn(learn);
        }
        return "may not do " + action;
    }

    /** A learned flow keeps the contract of its own table. */
    private @Nullable String breachOfLearn(final Action.Learn learn) {
        if (!learns.contains(learn.table())) {
            return "may not learn into " + learn.table().text();
        }
        final Contract learned = of(learn.table());
        String breach = learn.limit().isEmpty() ? null : set(learn.limit().orElseThrow().result());
        for (final LearnSpec spec : learn.specs()) {
            breach = first(breach, breachOfSpec(spec, learned));
        }
        return breach;
    }

    private @Nullable String breachOfSpec(final LearnSpec spec, final Contract learned) {
        if (spec instanceof LearnSpec.MatchCopy copy) {
            return first(read(copy.source()), learned.match(copy.target()));
        } else if (spec instanceof LearnSpec.LoadCopy copy) {
            return first(read(copy.source()), learned.set(copy.target()));
        } else if (spec instanceof LearnSpec.MatchValue value) {
            return learned.match(value.target());
        }
        return learned.set(((LearnSpec.LoadValue) spec).target());
    }

    private @Nullable String match(final FieldRange range) {
        return matched.has(range) ? null : "may not match " + matched.lacking(range);
    }

    /** To read a header makes narrower only the cached flows of packets that do it, so each may be read. */
    private @Nullable String read(final FieldRange source) {
        return !source.field().isRegister() || set.has(source) ? null : "may not read " + set.lacking(source);
    }

    private @Nullable String set(final FieldRange target) {
        return set.has(target) ? null : "may not set " + set.lacking(target);
    }

    private static @Nullable String first(final @Nullable String one, final @Nullable String two) {
        return one == null ? two : one;
    }
}
