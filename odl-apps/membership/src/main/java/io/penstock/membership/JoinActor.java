// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import static java.util.Objects.requireNonNull;

import akka.actor.AbstractActorWithTimers;
import akka.actor.Address;
import akka.cluster.Cluster;
import akka.cluster.ClusterEvent;
import akka.cluster.Member;
import akka.cluster.MemberStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has this member join the cluster, or make it: tells the other members of itself, hears of them, and takes a
 * {@link Step} until it is in. Akka's own way needs the first member of its list for each start of all.
 */
final class JoinActor extends AbstractActorWithTimers {
    /** Below {@code /user} of each member. */
    static final String NAME = "penstock-join";

    private static final Logger LOG = LoggerFactory.getLogger(JoinActor.class);
    private static final Duration TICK = Duration.ofMillis(500);
    private static final long HEARD_NANOS = Duration.ofSeconds(3).toNanos();
    private static final long GRANT_NANOS = Duration.ofSeconds(20).toNanos();
    /** Of an attempt to join. */
    private static final long ATTEMPT_NANOS = Duration.ofSeconds(10).toNanos();
    /** Until a cluster without a majority gives way to another one. */
    private static final long APART_NANOS = Duration.ofSeconds(15).toNanos();
    private static final String ASKS = "may-make ";
    private static final String GRANTS = "grants ";
    private static final String RUNS = "runs ";
    private static final String STORES = "stores ";
    /** Ticks from one word on models to the next. */
    private static final int STORES_TICKS = 4;
    private static final Object LOOK = "look";

    private final Cluster cluster = Cluster.get(getContext().getSystem());
    private final String name;
    private final Map<String, Address> members;
    private final Identity identity;
    private final BooleanSupplier complete;
    private final Runnable settle;
    private final Runnable end;
    private final Map<String, Heard> heard = new HashMap<>();
    private final Models models;
    private final Release release;
    private final Report report;
    private final Map<String, Release> releases = new HashMap<>();
    /** Members that have granted this one to make a cluster, with the times. */
    private final Map<String, Long> granted = new HashMap<>();
    private Optional<Granted> grant = Optional.empty();
    private Optional<Long> attempt = Optional.empty();
    private String said = "";
    private boolean caughtUp;
    private boolean made;
    private boolean settled;
    private int ticks;
    private Optional<Long> apart = Optional.empty();

    private record Heard(Peer peer, long nanos) { }

    private record Granted(String to, long nanos) { }

    /**
     * Begins.
     *
     * @param name of this member
     * @param members addresses of all members by name
     * @param identity of the cluster whose data are here
     * @param complete whether the data of this member, which is in, are those of the others
     * @param settle done once, when they are
     * @param end ends the process, for its supervisor to start it again; must not block
     * @param models of this member and the others
     * @param release that this member runs
     * @param report told of all members
     */
    JoinActor(final String name, final Map<String, Address> members, final Identity identity,
            final BooleanSupplier complete, final Runnable settle, final Runnable end, final Models models,
            final Release release, final Report report) {
        this.name = requireNonNull(name);
        this.models = requireNonNull(models);
        this.release = requireNonNull(release);
        this.report = requireNonNull(report);
        this.members = Map.copyOf(members);
        this.identity = requireNonNull(identity);
        this.complete = requireNonNull(complete);
        this.settle = requireNonNull(settle);
        this.end = requireNonNull(end);
    }

    @Override
    public void preStart() {
        getTimers().startTimerWithFixedDelay(LOOK, LOOK, TICK);
        cluster.subscribe(getSelf(), ClusterEvent.initialStateAsEvents(), ClusterEvent.MemberExited.class,
            ClusterEvent.MemberRemoved.class, ClusterEvent.UnreachableMember.class);
    }

    @Override
    public void postStop() {
        cluster.unsubscribe(getSelf());
    }

    @Override
    public Receive createReceive() {
        return receiveBuilder()
            .matchEquals(LOOK, look -> look())
            .match(ClusterEvent.MemberEvent.class, event -> gone(event.member()))
            .match(ClusterEvent.UnreachableMember.class, event -> gone(event.member()))
            .match(String.class, text -> text.startsWith(ASKS), text -> asked(text.substring(ASKS.length())))
            .match(String.class, text -> text.startsWith(GRANTS),
                text -> granted.put(text.substring(GRANTS.length()), System.nanoTime()))
            .match(String.class, text -> text.startsWith(RUNS), text -> Release.parse(text.substring(RUNS.length()))
                .filter(other -> members.containsKey(other.member())).ifPresent(other ->
                    releases.put(other.member(), other)))
            .match(String.class, text -> text.startsWith(STORES), text -> stores(text.split(" ", 3)))
            .match(String.class, text -> Peer.parse(text).filter(peer -> members.containsKey(peer.name()))
                .ifPresent(peer -> heard.put(peer.name(), new Heard(peer, System.nanoTime()))))
            .build();
    }

    private void look() {
        final Peer own = own();
        tell(own.text());
        tell(RUNS + release.text());
        if (ticks++ % STORES_TICKS == 0) {
            tell(STORES + name + " " + models.own().text());
        }
        if (own.isIn()) {
            if (identity.cluster().isEmpty() && own.state() == Peer.State.JOINED) {
                heard.values().stream().map(Heard::peer).filter(Peer::isIn).flatMap(peer -> peer.cluster().stream())
                    .findFirst().ifPresent(identity::take);
            }
            if (!settled && complete.getAsBoolean()) {
                settled = true;
                say("has caught up");
                settle.run();
            }
            lookForOthers();
            report();
            return;
        }
        report();
        if (attempt.filter(begun -> System.nanoTime() - begun < ATTEMPT_NANOS).isPresent()) {
            return;
        }
        attempt = Optional.empty();
        final Step step = Step.next(own, heard.values().stream()
            .filter(each -> System.nanoTime() - each.nanos() < HEARD_NANOS).map(Heard::peer).toList(), members.size(),
            identity.isDecided());
        final Optional<String> newer = heard.values().stream().map(each -> each.peer().name())
            .filter(member -> !models.covers(member)).sorted().findFirst();
        if (newer.isPresent()) {
            say(newer.orElseThrow() + " has models that " + name + " has not: upgrade " + name);
        } else if (step instanceof Step.Join join && !models.isTold(join.through())) {
            say("waits for what " + join.through() + " tells of its models");
        } else if (step instanceof Step.Join join) {
            say("joins the cluster through " + join.through());
            join(requireNonNull(members.get(join.through())));
        } else if (step instanceof Step.Form form) {
            form(form.needed());
        } else {
            say(((Step.Wait) step).reason());
        }
    }

    /** Two that could not hear each other may have made two clusters: one without a majority gives way. */
    private void lookForOthers() {
        final Set<Address> with = new HashSet<>();
        cluster.state().getMembers().forEach(member -> with.add(member.address()));
        final boolean isApart = with.size() <= members.size() / 2 && heard.values().stream()
            .anyMatch(each -> System.nanoTime() - each.nanos() < HEARD_NANOS && each.peer().isIn()
                && !with.contains(members.get(each.peer().name())));
        apart = isApart ? apart.or(() -> Optional.of(System.nanoTime())) : Optional.empty();
        if (apart.filter(since -> System.nanoTime() - since > APART_NANOS).isPresent()) {
            LOG.error("{} is in a cluster without a majority, beside another one: it ends, and joins that when it is "
                + "started again", name);
            apart = Optional.empty();
            end.run();
        }
    }

    private Peer own() {
        final MemberStatus status = cluster.selfMember().status();
        if (MemberStatus.up().equals(status) || MemberStatus.weaklyUp().equals(status)) {
            if (!caughtUp && (!identity.isFresh() || made || complete.getAsBoolean())) {
                identity.complete();
                caughtUp = true;
            }
            return new Peer(name, caughtUp ? Peer.State.JOINED : Peer.State.CATCHING_UP, identity.cluster());
        }
        return new Peer(name, identity.isFresh() ? Peer.State.FRESH : Peer.State.WAITING, identity.cluster());
    }

    /** A member grants it to one other at a time, so that there are never two majorities. */
    private void form(final int needed) {
        granted.values().removeIf(nanos -> System.nanoTime() - nanos > HEARD_NANOS);
        if (grants(name) && granted.size() + 1 >= needed) {
            say("makes the cluster");
            made = true;
            identity.make();
            join(cluster.selfAddress());
        } else {
            say("makes the cluster when " + needed + " members agree");
            tell(ASKS + name);
        }
    }

    private void asked(final String asker) {
        if (!own().isIn() && attempt.isEmpty() && members.containsKey(asker) && grants(asker)) {
            getSender().tell(GRANTS + name, getSelf());
        }
    }

    private boolean grants(final String asker) {
        final long now = System.nanoTime();
        if (grant.filter(each -> !each.to().equals(asker) && now - each.nanos() < GRANT_NANOS).isPresent()) {
            return false;
        }
        grant = Optional.of(new Granted(asker, now));
        return true;
    }

    private void join(final Address address) {
        attempt = Optional.of(System.nanoTime());
        cluster.joinSeedNodes(List.of(address));
    }

    private void tell(final String text) {
        members.forEach((member, address) -> {
            if (!member.equals(name)) {
                getContext().actorSelection(address + "/user/" + NAME).tell(text, getSelf());
            }
        });
    }

    private void stores(final String[] words) {
        if (words.length == 3 && members.containsKey(words[1])) {
            KnownPaths.parse(words[2]).ifPresent(paths -> models.tell(words[1], paths));
        }
    }

    /** Is told of no more until it tells of itself: to stop a second member would end the cluster. */
    private void gone(final Member member) {
        if (heard.values().removeIf(each -> member.address().equals(members.get(each.peer().name())))) {
            report();
        }
    }

    /** Members that are silent are left out. */
    private void report() {
        final Map<String, Peer> present = new TreeMap<>();
        present.put(name, own());
        heard.values().stream().filter(each -> System.nanoTime() - each.nanos() < HEARD_NANOS)
            .forEach(each -> present.put(each.peer().name(), each.peer()));
        releases.put(name, release);
        final Set<String> others = new HashSet<>(present.keySet());
        others.remove(name);
        others.removeIf(member -> !requireNonNull(present.get(member)).isIn());
        models.present(others);
        report.tell(said, present.values(), releases);
    }

    private void say(final String what) {
        if (!what.equals(said)) {
            said = what;
            LOG.info("Member {}: {}", name, what);
        }
    }
}
