// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import com.google.common.base.Throwables;
import io.penstock.base.disk.DiskSpace;
import io.penstock.base.disk.SegmentReserve;
import io.penstock.base.tasks.TaskThread;
import io.penstock.base.tls.PeerTls;
import io.penstock.configuration.ConfigurationStore;
import io.penstock.engine.AllocationWriter;
import io.penstock.engine.Engine;
import io.penstock.engine.Environment;
import io.penstock.engine.JournalKeeper;
import io.penstock.engine.NodeAdmission;
import io.penstock.engine.Rehearsal;
import io.penstock.engine.Southbounds;
import io.penstock.engine.SteadyClock;
import io.penstock.engine.node.BridgeTranslator;
import io.penstock.events.EventSink;
import io.penstock.journal.JournalSource;
import io.penstock.journal.MemberJournal;
import io.penstock.journal.export.Exporters;
import io.penstock.membership.Leadership;
import io.penstock.membership.Members;
import io.penstock.membership.PeerModels;
import io.penstock.metrics.Member;
import io.penstock.metrics.Metrics;
import io.penstock.northbound.rest.OperationsRpcs;
import io.penstock.northbound.rest.RpcThreads;
import io.penstock.northbound.rest.StateStore;
import io.penstock.northbound.stream.EventHub;
import io.penstock.northbound.stream.EventRelay;
import io.penstock.northbound.stream.Notifications;
import io.penstock.operations.Operations;
import io.penstock.requests.AcceptedChanges;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.ovsdb.OvsdbServer;
import io.penstock.southbound.ovsdb.OvsdbServerOptions;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.opendaylight.mdsal.binding.api.DataBroker;
import org.opendaylight.mdsal.binding.api.RpcProviderService;
import org.opendaylight.mdsal.dom.api.DOMNotificationPublishService;
import org.opendaylight.mdsal.dom.api.DOMSchemaService;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.Designate;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the controller of its parts; starts and stops with the OSGi framework. Configured in etc/io.penstock.cfg. */
@Component(immediate = true, service = {}, configurationPid = "io.penstock")
@Designate(ocd = Controller.Settings.class)
public final class Controller {
    private static final Logger LOG = LoggerFactory.getLogger(Controller.class);

    /** Settings of the controller. A dollar sign between underscores stands for a dash. */
    @ObjectClassDefinition(name = "Penstock")
    public @interface Settings {
        /** Address on which nodes reach OpenFlowPlugin. */
        @AttributeDefinition
        String openflow$_$listen$_$address() default "127.0.0.1";

        /** TCP port on which OpenFlowPlugin listens. */
        @AttributeDefinition
        int openflow$_$listen$_$port() default 6653;

        /** Address on which to take the nodes' databases. */
        @AttributeDefinition
        String ovsdb$_$listen$_$address() default "127.0.0.1";

        /** Which nodes are believed: {@code configured}, with the address from which they connect, or {@code any}. */
        @AttributeDefinition
        String nodes() default "configured";

        /** TCP port on which to take the nodes' databases. */
        @AttributeDefinition
        int ovsdb$_$listen$_$port() default 6640;

        /** Directory of the journal of public addresses; below Karaf's directory unless it begins with a slash. */
        @AttributeDefinition
        String nat$_$journal() default "nat-journal";

        /** ADDRESS:PORT of a syslog collector for NAT events; none when empty. */
        @AttributeDefinition
        String nat$_$syslog() default "";

        /** One or two IPFIX collectors for NAT events, [tcp:]ADDRESS:PORT with a comma between; none when empty. */
        @AttributeDefinition
        String nat$_$ipfix() default "";

        /** ADDRESS:PORT of a syslog collector for events; none when empty. */
        @AttributeDefinition
        String event$_$syslog() default "";

        /** Time in which all flows of each switch are compared with its plan and repaired, in seconds; 0 for never. */
        @AttributeDefinition
        int flow$_$check$_$seconds() default 50;

        /** PEM file with the certificate of this member; nodes connect in plain text when empty. */
        @AttributeDefinition
        String tls$_$certificate() default "";

        /** PEM file with its private key. */
        @AttributeDefinition
        String tls$_$key() default "";

        /** PEM file with the certificate of the authority that signs those of nodes. */
        @AttributeDefinition
        String tls$_$ca() default "";

        /** PEM file with the list of revoked certificates. */
        @AttributeDefinition
        String tls$_$crl() default "";

        /** All members of the cluster as NAME=ADDRESS, with commas between them; empty for a controller alone. */
        @AttributeDefinition
        String members() default "";

        /** Tenants with metrics of their own; those of all others are added up. */
        @AttributeDefinition
        int metrics$_$tenants() default Metrics.TENANTS;

        /** Where RESTCONF is, for people. */
        @AttributeDefinition
        String restconf$_$url() default "http://127.0.0.1:8181/rests";
    }

    /** Topic of questions about journals. */
    private static final String JOURNAL = "nat-journal";
    /** How long another member may take to answer. */
    private static final Duration ANSWER = Duration.ofSeconds(1);
    private static final Duration CERTIFICATES = Duration.ofSeconds(2);

    /** What has to end when the controller does, the last first. */
    private final Deque<Runnable> ends = new ArrayDeque<>();
    /** Of what an operator has to do soon; the first that is there is told. */
    private final List<Supplier<Optional<String>>> warnings = new CopyOnWriteArrayList<>();
    private final ConfigurationStore store;
    private final Settings settings;
    private final BundleContext bundles;
    private final Metrics metrics;
    private final Parts parts;
    private final NodeTransport transport;
    private final OvsdbServer databases;
    private final EventSink events;
    private final Exporters exporters;
    private final JournalKeeper journal;
    private final SteadyClock clock;
    private final DiskSpace disk;
    private final Standbys standbys;
    private final DiskRoom room;
    private final ConsoleOperations console;

    /** Parts of OpenDaylight, and services that a controller has whether it leads or not. */
    private record Parts(RpcProviderService rpcs, OpenFlowSouthbound southbound, DataBroker broker) { }

    /**
     * Takes the nodes' databases, and starts the engine whenever this member leads. Where something fails the store
     * refuses all changes, with the reason.
     */
    @Activate
    @SuppressWarnings("checkstyle:IllegalCatch")
    public Controller(@Reference final ConfigurationStore store, @Reference final RpcProviderService rpcProvider,
            @Reference final DOMNotificationPublishService notifications, @Reference final DOMSchemaService models,
            @Reference final EventHub stream, @Reference final AcceptedChanges changes,
            @Reference final OpenFlowSouthbound southbound, @Reference final DataBroker broker,
            @Reference final Leadership leadership, @Reference final Members members,
            @Reference final PeerModels peers, @Reference final Metrics metrics, final BundleContext bundles,
            final Settings settings) {
        this.store = store;
        store.warnedBy(() -> warnings.stream().map(Supplier::get).flatMap(Optional::stream).findFirst());
        store.refuseUnknown(() -> peers.differ() ? Optional.of(peers::lacking) : Optional.empty());
        this.settings = settings;
        this.bundles = bundles;
        this.metrics = metrics;
        parts = new Parts(rpcProvider, southbound, broker);
        final Notifications told = new Notifications(models::getGlobalContext, notifications, Clock.systemUTC());
        try {
            final EventRelay relay = new EventRelay(members, Clock.systemUTC(), stream, told, EventRelay.PERIOD);
            ends.push(relay::close);
            exporters = new Exporters(new Exporters.Addresses(settings.nat$_$syslog(), settings.nat$_$ipfix(),
                settings.event$_$syslog()), hostName(), Clock.systemUTC());
            ends.push(exporters::close);
            events = EventSink.all(List.of(EventSink.log(), told, metrics.events(), stream.sink(Clock.systemUTC()),
                relay.sink(), exporters));
            changes.tellTo(events);
            ends.push(() -> changes.tellTo(event -> { }));
            transport = NodeTransport.of(settings, admission(settings.nodes()));
            ends.push(transport.serve(southbound));
            transport.tls().ifPresent(tls -> ends.push(watch(tls)));
            store.observedBy(metrics.commits());
            databases = new OvsdbServer(OvsdbServerOptions.DEFAULT, transport.tls());
            databases.start(settings.ovsdb$_$listen$_$address(), settings.ovsdb$_$listen$_$port());
            ends.push(databases::close);
            disk = new DiskSpace(base());
            clock = SteadyClock.open(base().resolve("steady-clock"), Clock.systemUTC());
            standbys = new Standbys(store, southbound, members, transport.openflowTarget(), clock,
                Standbys.PERIOD);
            ends.push(standbys::close);
            if (standbys.isShared()) {
                ends.push(watchClocks(new WallClocks(members, Clock.systemUTC())));
            }
            console = new ConsoleOperations(operations ->
                bundles.registerService(Operations.class, operations, null)::unregister,
                standbys.isShared() ? Optional.of(StandbyOperations.of(standbys::otherLeader)) : Optional.empty());
            ends.push(console::close);
            metrics.describe(this::member, settings.metrics$_$tenants());
            room = new DiskRoom(members, disk::shortage);
            ends.push(room::close);
            journal = new JournalKeeper(new MemberJournal(base().resolve(settings.nat$_$journal()),
                Clock.systemUTC(), !members.others().isEmpty()), store, () -> sources(members));
            ends.push(journal::close);
            ends.push(members.serve(JOURNAL, journal.journal()::answer)::close);
            if (standbys.isShared()) {
                ends.push(new Rehearsal(store, southbounds(), () -> standbys.otherLeader().isPresent(),
                    () -> OwnClasses.load(bundles))::close);
            }
        } catch (RuntimeException e) {
            end(ends);
            store.fail("it did not start: " + reason(e));
            throw e;
        }
        ends.push(new LeaderEngine(store, leadership, standbys, room, this::engine, this::publish,
            this::giveWay)::close);
    }

    private Path base() {
        return Path.of(bundles.getProperty("karaf.base"));
    }

    /** The journals of the other members; that of the one that leads comes first, since it has all lines. */
    private List<JournalSource> sources(final Members members) {
        return members.others().stream().sorted(Comparator.comparing(standbys::isLeader).reversed())
            .<JournalSource>map(member -> question -> members.ask(member, JOURNAL, question, ANSWER)).toList();
    }

    private Engine engine() {
        final Path base = base();
        return new Engine(store, new AllocationWriter(store, journal, disk,
                new SegmentReserve(base.resolve("segmented-journal")), exporters::tell), southbounds(),
            Environment.of(clock),
            new StateStore(parts.broker()), events, Duration.ofSeconds(settings.flow$_$check$_$seconds()));
    }

    private Southbounds southbounds() {
        return new Southbounds(parts.southbound(), databases, new BridgeTranslator(standbys::controllers),
            admission(settings.nodes()), standbys.isShared());
    }

    private Member member() {
        final Map<String, Instant> certificates = new TreeMap<>();
        transport.tls().ifPresent(tls -> tls.certificates().forEach(each ->
            certificates.merge(each.toString(), each.end(), (one, other) -> one.isBefore(other) ? one : other)));
        return new Member(store.readiness().level(), disk.shortage().isPresent(), certificates,
            exporters.counts().stream().map(count -> new Member.Export(count.setting(), count.collector().toString(),
                count.sent(), count.lost())).toList());
    }

    private void publish(final Engine engine, final Deque<Runnable> endsOfEngine) {
        endsOfEngine.push(metrics.follow(engine));
        final Operations operations = new EngineOperations(engine, settings.restconf$_$url(),
            bundles.getBundle().getVersion().toString());
        final RpcThreads threads = new RpcThreads();
        endsOfEngine.push(threads::close);
        endsOfEngine.push(new OperationsRpcs(operations, threads).register(parts.rpcs())::close);
        endsOfEngine.push(console.offer(operations));
    }

    private void giveWay() {
        try {
            bundles.getBundle(Constants.SYSTEM_BUNDLE_ID).stop();
        } catch (BundleException e) {
            LOG.error("The framework does not stop", e);
        }
    }

    private Runnable watch(final PeerTls tls) {
        final HttpsStore https = new HttpsStore(tls, base());
        final CertificateWatch watch = new CertificateWatch(tls::certificates, events, Clock.systemUTC());
        warnings.add(watch::reason);
        final TaskThread certificates = new TaskThread("penstock-certificates");
        certificates.every(Duration.ZERO, CERTIFICATES, https::look);
        certificates.every(Duration.ZERO, CERTIFICATES, watch::look);
        return certificates::close;
    }

    private Runnable watchClocks(final WallClocks clocks) {
        warnings.add(clocks::reason);
        final TaskThread thread = new TaskThread("penstock-clocks");
        thread.every(WallClocks.PERIOD, WallClocks.PERIOD, clocks::look);
        return () -> {
            thread.close();
            clocks.close();
        };
    }

    private static NodeAdmission admission(final String text) {
        return switch (text) {
            case "configured" -> NodeAdmission.CONFIGURED;
            case "any" -> NodeAdmission.ANY;
            default -> throw new IllegalArgumentException("io.penstock.cfg: nodes is '" + text
                + "', neither configured nor any");
        };
    }

    /** The messages of an error and of its causes, from the general to the particular. */
    static String reason(final Throwable error) {
        return Throwables.getCausalChain(error).stream()
            .map(each -> Objects.requireNonNullElse(each.getMessage(), each.getClass().getSimpleName()))
            .reduce((whole, cause) -> whole.contains(cause) ? whole : whole + ": " + cause).orElseThrow();
    }

    /** RFC 5424 has a dash for a name that is not known. */
    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "-";
        }
    }

    /** Ends what was begun. */
    @Deactivate
    void stop() {
        end(ends);
    }

    /** Ends what was begun, the last first. */
    static void end(final Deque<Runnable> ends) {
        while (!ends.isEmpty()) {
            ends.pop().run();
        }
    }
}
