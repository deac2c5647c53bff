// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import static java.util.Objects.requireNonNull;

import akka.actor.AbstractActor;
import akka.actor.ActorSelection;
import akka.actor.Terminated;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.opendaylight.controller.cluster.notifications.LeaderStateChanged;
import org.opendaylight.controller.cluster.notifications.RegisterRoleChangeListener;
import org.opendaylight.controller.cluster.notifications.RegisterRoleChangeListenerReply;
import org.opendaylight.controller.cluster.notifications.RoleChangeNotification;

/** Hears of the roles of one shard of this member, from its first moment on and again when it is started again. */
final class RoleFollower extends AbstractActor {
    private static final Duration AGAIN = Duration.ofMillis(250);
    /** Of org.opendaylight.controller.cluster.raft.RaftState. */
    private static final String LEADER = "Leader";
    /** A leader that no majority follows any more. */
    private static final String ISOLATED = "IsolatedLeader";
    /** A pause of the other members isolates a leader for a moment, and costs nothing while it commits nothing. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Object ASK = "ask";

    /** The end of the patience with an isolation; of the isolation with this number. */
    private record Isolated(int number) { }

    private final ActorSelection shard;
    private final Consumer<Lead> listener;
    private boolean known;
    /** How often the role has changed. */
    private int roles;
    private Lead lead = Lead.UNKNOWN;

    /**
     * Will ask the shard until it answers.
     *
     * @param path of the actor of the shard that tells of its roles
     * @param listener told of each change
     */
    RoleFollower(final String path, final Consumer<Lead> listener) {
        shard = getContext().actorSelection(path);
        this.listener = requireNonNull(listener);
    }

    @Override
    public void preStart() {
        ask();
    }

    @Override
    public Receive createReceive() {
        return receiveBuilder()
            .matchEquals(ASK, ask -> ask())
            .match(RegisterRoleChangeListenerReply.class, reply -> answered())
            .match(RoleChangeNotification.class, change -> role(change.getNewRole()))
            .match(Isolated.class, end -> {
                if (end.number() == roles) {
                    tell(new Lead(false, lead.leader()));
                }
            })
            .match(LeaderStateChanged.class, change ->
                tell(new Lead(lead.own(), Optional.ofNullable(change.getLeaderId()).map(RoleFollower::member))))
            .match(Terminated.class, ended -> {
                known = false;
                tell(Lead.UNKNOWN);
                ask();
            })
            .build();
    }

    private void ask() {
        if (!known) {
            shard.tell(new RegisterRoleChangeListener(), getSelf());
            later(AGAIN, ASK);
        }
    }

    private void role(final String now) {
        roles++;
        if (ISOLATED.equals(now) && lead.own()) {
            later(PATIENCE, new Isolated(roles));
        } else {
            tell(new Lead(LEADER.equals(now), lead.leader()));
        }
    }

    private void later(final Duration delay, final Object message) {
        getContext().getSystem().scheduler().scheduleOnce(delay, getSelf(), message, getContext().getDispatcher(),
            getSelf());
    }

    private void answered() {
        if (!known) {
            known = true;
            getContext().watch(getSender());
        }
    }

    private void tell(final Lead now) {
        if (!now.equals(lead)) {
            lead = now;
            listener.accept(now);
        }
    }

    /** The shard of a member is named {@code member-1-shard-default-config}. */
    private static String member(final String shardId) {
        final int end = shardId.indexOf("-shard-");
        return end < 0 ? shardId : shardId.substring(0, end);
    }
}
