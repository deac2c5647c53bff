// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import akka.actor.ActorRef;
import akka.actor.ActorSystem;
import akka.actor.Address;
import akka.actor.Props;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Dictionary;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.opendaylight.controller.cluster.ActorSystemProvider;
import org.opendaylight.mdsal.dom.api.DOMSchemaService;
import org.opendaylight.yangtools.yang.common.QName;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.Designate;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has a member of a cluster join it. A controller alone is its own cluster, and has Akka join by its own list. */
@Component(immediate = true, service = PeerModels.class, configurationPid = "io.penstock")
@Designate(ocd = ClusterJoin.Settings.class)
public final class ClusterJoin implements PeerModels {
    /** Settings of a member. A dollar sign between underscores stands for a dash. */
    @ObjectClassDefinition(name = "Penstock cluster")
    public @interface Settings {
        /** Name of this member. */
        @AttributeDefinition
        String member() default "member-1";

        /** All members as NAME=ADDRESS, with commas between them; empty for a controller alone. */
        @AttributeDefinition
        String members() default "";

        /** TCP port at which members reach each other. */
        @AttributeDefinition
        int cluster$_$port() default 2550;

        /** Heartbeats of a leader that this member misses before it stands for election, once it has caught up. */
        @AttributeDefinition
        int election$_$heartbeats() default 20;

        /** Version of the programs of this member. */
        @AttributeDefinition
        String version() default "-";

        /** Digest of the YANG models of this member. */
        @AttributeDefinition
        String models() default "-";

        /** Whether this member has been started without data, or with a part of them. */
        @AttributeDefinition
        boolean empty() default false;
    }

    private static final String DATASTORE = "org.opendaylight.controller.cluster.datastore";
    private static final Logger LOG = LoggerFactory.getLogger(ClusterJoin.class);
    /** Of the shard manager of the configuration: whether its shards have caught up with their leaders. */
    private static final String SHARDS =
        "org.opendaylight.controller:type=DistributedConfigDatastore,Category=ShardManager,name=shard-manager-config";

    private final ActorSystem system;
    private final ActorRef actor;
    private final Models models;

    /** Begins to join. */
    @Activate
    public ClusterJoin(@Reference final ActorSystemProvider akka, @Reference final ConfigurationAdmin configurations,
            @Reference final DOMSchemaService schemas, final BundleContext bundles, final Settings settings) {
        models = new Models(schemas::getGlobalContext);
        system = akka.getActorSystem();
        final Map<String, Address> members =
            Addresses.of(system.name(), settings.members(), settings.cluster$_$port());
        final Path directory = Path.of(bundles.getProperty("karaf.base"));
        final Identity identity = new Identity(directory, settings.empty());
        final Release release = new Release(settings.member(), settings.version(), settings.models());
        actor = members.size() < 2 ? ActorRef.noSender() : system.actorOf(Props.create(JoinActor.class, () ->
            new JoinActor(settings.member(), members, identity, complete(),
                () -> standForElection(configurations, settings.election$_$heartbeats()), () -> end(bundles),
                models, release, new Report(directory))), JoinActor.NAME);
    }

    /**
     * Has this member notice the loss of a leader as fast as it is set. Not from its start on: it would stand for
     * election before the leader has found it, and the leader would give way to the vote.
     */
    private static void standForElection(final ConfigurationAdmin configurations, final int heartbeats) {
        try {
            final Configuration datastore = configurations.getConfiguration(DATASTORE, null);
            final Dictionary<String, Object> properties = datastore.getProperties();
            properties.put("shard-election-timeout-factor", Integer.toString(heartbeats));
            datastore.update(properties);
        } catch (IOException e) {
            LOG.warn("The time of elections stays as it was at the start", e);
        }
    }

    /** The framework stops on a thread of its own; if that hangs, the watch of the controller ends the process. */
    private static void end(final BundleContext bundles) {
        try {
            bundles.getBundle(Constants.SYSTEM_BUNDLE_ID).stop();
        } catch (BundleException e) {
            throw new IllegalStateException("the framework does not stop", e);
        }
    }

    private static BooleanSupplier complete() {
        final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        return () -> {
            try {
                return Boolean.TRUE.equals(server.getAttribute(new ObjectName(SHARDS), "SyncStatus"));
            } catch (JMException e) {
                LOG.debug("The shards are not there yet", e);
                return false;
            }
        };
    }

    @Override
    public boolean differ() {
        return models.differ();
    }

    @Override
    public Optional<String> lacking(final List<QName> path) {
        return models.lacking(path);
    }

    /** Tells and hears no more; a member that is in stays in. */
    @Deactivate
    public void stop() {
        if (actor != null) {
            system.stop(actor);
        }
    }
}
