// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** What translations have in common that connection tracking makes. */
final class ConnTracking {
    /** Bits of ct_state, as in ovs-fields(7). */
    static final long NEW = 0x01;
    static final long EST = 0x02;
    static final long REL = 0x04;
    static final long RPL = 0x08;
    static final long INV = 0x10;
    static final long TRK = 0x20;
    static final long SNAT = 0x40;
    static final long DNAT = 0x80;

    /** The mark of a forward, which has this bit too, stays when a reply is translated. */
    static final Action.Load TRANSLATED =
        new Action.Load(new FieldRange(MatchField.CT_MARK, 0, 0), Constants.TRANSLATED_MARK);

    private ConnTracking() {
        // Only functions.
    }

    /** A pass through conntrack, in the zone that is in the register; packets of it go on in a table. */
    static List<Action> pass(final Table after, final boolean commit, final Optional<Action.Nat> nat,
            final Optional<Action.Load> mark, final Optional<Alg> alg) {
        return List.of(new Action.Resubmit(Table.FRAGMENTS), Register.AFTER.load(after.number()),
            new Action.ConnTrack(commit, Register.ZONE.range(), Table.TRACKED, nat, mark, alg));
    }

    /** Looks up the connection of packets, likewise. */
    static List<Action> lookUp(final Table after) {
        return pass(after, false, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** A pass in the zone of the translations of the VRF. */
    static List<Action> translate(final Table after, final boolean commit, final Action.Nat nat,
            final Optional<Action.Load> mark, final Optional<Alg> alg) {
        return Stream.concat(Stream.of(new Action.Move(Register.VRF.range(), Register.ZONE.range())),
            pass(after, commit, Optional.of(nat), mark, alg).stream()).toList();
    }

    /** Gives a packet the translation that its connection has. */
    static List<Action> known(final Table after, final Optional<Alg> alg) {
        return translate(after, false, new Action.Nat.Existing(), Optional.empty(), alg);
    }

    /** Gives a new connection that begins inside its public address; a known one keeps what it has. */
    static List<Action> newToBackbone(final Action.Nat.Source source, final Optional<Alg> alg) {
        return translate(Table.NAT_OUT_CHECK, true, source, Optional.of(TRANSLATED), alg);
    }

    /** The same without an application level gateway. */
    static List<Action> newToBackbone(final Action.Nat.Source source) {
        return newToBackbone(source, Optional.empty());
    }

    /** Gives a new connection from the backbone its end inside. */
    static List<Action> newFromBackbone(final Ipv4 address, final OptionalInt port, final Action.Load mark,
            final Optional<Alg> alg) {
        return translate(Table.NAT_IN_NEW, true, new Action.Nat.Destination(address, port), Optional.of(mark), alg);
    }

    /** Packets towards the backbone that were given one of these addresses. */
    static FlowSink.Draft translated(final TenantView view, final FlowSink sink, final String label,
            final FieldMatch state, final Prefix address) {
        return sink.flow(Table.NAT_OUT_CHECK, Priority.NORMAL, label)
            .when(view.isVrf(), state,
                new FieldMatch(MatchField.CT_MARK, Constants.TRANSLATED_MARK, Constants.TRANSLATED_MARK))
            .ipv4().when(MatchField.IP_SRC, address);
    }

    /** A match on bits that are set and bits that are not. */
    static FieldMatch state(final long set, final long clear) {
        return new FieldMatch(MatchField.CT_STATE, set, set | clear);
    }
}
