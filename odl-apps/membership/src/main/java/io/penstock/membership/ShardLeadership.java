// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import akka.actor.ActorRef;
import akka.actor.ActorSystem;
import akka.actor.Props;
import akka.cluster.Cluster;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.opendaylight.controller.cluster.ActorSystemProvider;
import org.opendaylight.controller.cluster.raft.messages.RequestLeadership;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The leadership of the shard that holds the configuration, as OpenDaylight's datastore tells of it. */
@Component(service = Leadership.class, immediate = true)
public final class ShardLeadership implements Leadership {
    private static final Logger LOG = LoggerFactory.getLogger(ShardLeadership.class);
    private static final String ROLE = "member-";
    private static final String SHARDS = "/user/shardmanager-config/";

    private final String member;
    private final ActorSystem system;
    private final ActorRef follower;
    private final List<Consumer<Lead>> listeners = new CopyOnWriteArrayList<>();
    private Lead lead = Lead.UNKNOWN;

    /** Begins to follow the shard. */
    @Activate
    public ShardLeadership(@Reference final ActorSystemProvider akka) {
        system = akka.getActorSystem();
        member = Cluster.get(system).getSelfRoles().stream().filter(role -> role.startsWith(ROLE)).findFirst()
            .orElseThrow(() -> new IllegalStateException("akka.conf has no role " + ROLE + "NUMBER"));
        final String shard = shard(member);
        follower = system.actorOf(Props.create(RoleFollower.class, () -> new RoleFollower(
            SHARDS + shard + "/" + shard + "-notifier", this::changed)));
    }

    /** The name of the shard is that of SHARD in karaf/penstock_controller/cluster.py. */
    private static String shard(final String of) {
        return of + "-shard-default-config";
    }

    @Override
    public String member() {
        return member;
    }

    @Override
    public synchronized Registration follow(final Consumer<Lead> listener) {
        listeners.add(listener);
        listener.accept(lead);
        return () -> listeners.remove(listener);
    }

    @Override
    public void handOver(final String successor) {
        // The answer is the change of the leadership.
        system.actorSelection(SHARDS + shard(member)).tell(
            new RequestLeadership(shard(successor), system.deadLetters()), ActorRef.noSender());
    }

    private synchronized void changed(final Lead now) {
        LOG.info("{} leads the configuration{}", now.leader().orElse("No member"),
            now.own() ? ", which is this member" : "");
        lead = now;
        listeners.forEach(listener -> listener.accept(now));
    }

    /** Follows no more. */
    @Deactivate
    public void stop() {
        system.stop(follower);
    }
}
