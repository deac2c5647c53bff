// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.ConfigurationStore;
import io.penstock.configuration.OtherMaster;
import io.penstock.engine.OwnSwitches;
import io.penstock.engine.SteadyClock;
import io.penstock.membership.Leadership;
import io.penstock.membership.Members;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Switches are connected to the master and to the members that stand by, so that a takeover waits for no connection.
 * While this member stands by, switches take no orders by their connections to it. A member is named to the switches
 * once it says that it stands by, so not before its engine of former times has ended: what that still does reaches no
 * switch. Safe for all threads.
 */
final class Standbys implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Standbys.class);
    /** Topic of questions where switches find a member that stands by. */
    private static final String TOPIC = "openflow-target";
    /** In which the others are asked. */
    static final Duration PERIOD = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(1);
    /** Questions in a row that a member may leave without an answer: each change of the list costs it a connection. */
    private static final int MISSES = 3;

    private final ConfigurationStore store;
    private final OpenFlowSouthbound southbound;
    private final Members members;
    private final String target;
    private final SharedClock clock;
    private final TaskThread thread = new TaskThread("penstock-standbys");
    private final Leadership.Registration answers;
    /** Where switches find the others that stand by, by name. */
    private Map<String, String> others = new TreeMap<>();
    /** How often a member did not answer, since it did last; for the thread. */
    private final Map<String, Integer> misses = new HashMap<>();
    /** Counts what was heard of leaders: an answer of before is not believed. */
    private int heard;
    private Optional<String> leader = Optional.empty();
    private Optional<Runnable> following = Optional.empty();
    private Runnable changed = () -> { };

    /**
     * Begins to ask the others.
     *
     * @param target where switches find this member
     * @param steady the clock of leases
     * @param period in which they are asked
     */
    Standbys(final ConfigurationStore store, final OpenFlowSouthbound southbound, final Members members,
            final String target, final SteadyClock steady, final Duration period) {
        this.store = requireNonNull(store);
        this.southbound = requireNonNull(southbound);
        this.members = requireNonNull(members);
        this.target = requireNonNull(target);
        clock = new SharedClock(steady, members, this::otherLeader, this::leads);
        answers = members.serve(TOPIC, question -> ownTarget());
        if (isShared()) {
            thread.every(Duration.ZERO, period, this::ask);
        }
    }

    /** Whether there are other members. */
    boolean isShared() {
        return !members.others().isEmpty();
    }

    /** Where switches find this member and the others that stand by. */
    synchronized Set<String> controllers() {
        final Set<String> targets = new HashSet<>(others.values());
        targets.add(target);
        return targets;
    }

    /** Another member leads, or none that is known: this one stands by. Its engine has ended. */
    synchronized void begin(final Optional<String> leads) {
        hear(leads);
        if (isShared() && following.isEmpty()) {
            following = Optional.of(() -> { });
            following = Optional.of(store.followMaster(this::follow));
        }
        if (isShared()) {
            thread.run(clock::follow);
        }
    }

    /** This member leads. */
    synchronized void end(final String member) {
        hear(Optional.of(member));
        following.ifPresent(Runnable::run);
        following = Optional.empty();
    }

    /** Whether a member leads, as was heard last. */
    synchronized boolean isLeader(final String member) {
        return leader.equals(Optional.of(member));
    }

    /** The others that stand by, by name. */
    synchronized List<String> names() {
        return List.copyOf(others.keySet());
    }

    private void hear(final Optional<String> leads) {
        heard++;
        leader = leads;
        leads.ifPresent(others::remove);
    }

    /** Has something called when other members stand by than before, until what is returned is run. */
    synchronized Runnable tell(final Runnable listener) {
        changed = listener;
        return () -> tell(() -> { });
    }

    private synchronized void follow(final OtherMaster master) {
        if (following.isPresent()) {
            southbound.standBy(master.epoch(), new OwnSwitches(master::nodes));
        }
    }

    /** Empty when this member does not stand by. */
    private synchronized byte[] ownTarget() {
        return (following.isEmpty() ? "" : target).getBytes(StandardCharsets.UTF_8);
    }

    private synchronized boolean leads() {
        return following.isEmpty() && leader.isPresent();
    }

    /** The member that leads, while this one stands by. */
    synchronized Optional<String> otherLeader() {
        return following.isPresent() ? leader : Optional.empty();
    }

    private void ask() {
        clock.follow();
        final int before = heardSoFar();
        final Map<String, String> found = new TreeMap<>();
        for (final String member : members.others()) {
            try {
                found.put(member, new String(members.ask(member, TOPIC, "", ANSWER), StandardCharsets.UTF_8));
                misses.remove(member);
            } catch (IOException e) {
                LOG.debug("{} does not say whether it stands by", member, e);
                if (misses.merge(member, 1, Integer::sum) < MISSES) {
                    found.put(member, known(member));
                }
            }
        }
        found.values().removeIf(String::isEmpty);
        take(found, before).run();
    }

    private synchronized String known(final String member) {
        return others.getOrDefault(member, "");
    }

    private synchronized int heardSoFar() {
        return heard;
    }

    private synchronized Runnable take(final Map<String, String> found, final int before) {
        leader.ifPresent(found::remove);
        if (heard != before || found.equals(others)) {
            return () -> { };
        }
        LOG.info("Switches find members that stand by at {}", found);
        others = found;
        return changed;
    }

    @Override
    public void close() {
        answers.close();
        clock.close();
        thread.close();
        synchronized (this) {
            following.ifPresent(Runnable::run);
            following = Optional.empty();
        }
    }
}
