// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The next step of a member that is a part of no cluster. Pure. */
sealed interface Step {
    /** Joins the cluster that another member is a part of. */
    record Join(String through) implements Step { }

    /**
     * Makes a cluster, if enough members agree, which are not about to make another one.
     *
     * @param needed number of members, this one among them
     */
    record Form(int needed) implements Step { }

    /** Waits for others, or for a person. */
    record Wait(String reason) implements Step { }

    /**
     * Finds the step.
     *
     * <p>Only members with data make a cluster, a majority of all, so that what a majority had stored is there; at the
     * first start none has, and all have to be there. A member without data joins when all that are in are complete: of
     * two such members at the same time and one with data the two could be the majority that elects a leader without
     * data.
     *
     * @param own this member; is in no cluster
     * @param heard the other members that have told of themselves in the last seconds
     * @param members how many there are with this one
     * @param alone whether a person has said that the data of this member are those of the cluster
     */
    static Step next(final Peer own, final Collection<Peer> heard, final int members, final boolean alone) {
        final List<Peer> others = heard.stream().filter(peer -> peer.cluster().isEmpty() || own.cluster().isEmpty()
            || peer.cluster().equals(own.cluster())).toList();
        final Optional<Peer> in = others.stream().filter(peer -> peer.state() == Peer.State.JOINED).findFirst();
        if (in.isPresent()) {
            final Optional<Peer> behind =
                others.stream().filter(peer -> peer.state() == Peer.State.CATCHING_UP).findFirst();
            return own.state() == Peer.State.FRESH && behind.isPresent()
                ? new Wait("this member has no data, and joins when " + behind.orElseThrow().name() + " has caught up")
                : new Join(in.orElseThrow().name());
        }
        if (alone) {
            return new Form(1);
        }
        if (others.size() < heard.size()) {
            return new Wait("members have the data of different clusters: " + list(Stream.concat(Stream.of(own),
                heard.stream()).map(peer -> peer.name() + " of " + peer.cluster().orElse("none"))));
        }
        final List<Peer> present = Stream.concat(Stream.of(own), others.stream()).sorted(
            Comparator.comparing(Peer::name)).toList();
        final List<Peer> withData = present.stream().filter(peer -> peer.state() == Peer.State.WAITING).toList();
        final boolean first = withData.isEmpty() && present.size() == members;
        if (!first && withData.size() <= members / 2) {
            return new Wait((withData.isEmpty() ? "the first start needs all " + members + " members"
                : "a cluster needs " + (members / 2 + 1) + " members with data") + ", and there are "
                + list((withData.isEmpty() ? present : withData).stream().map(Peer::name)));
        }
        final Peer maker = first ? present.get(0) : withData.get(0);
        return maker.equals(own) ? new Form(first ? members : members / 2 + 1)
            : new Wait("waits for the cluster that " + maker.name() + " makes");
    }

    private static String list(final Stream<String> names) {
        return String.join(", ", names.sorted().toList());
    }
}
