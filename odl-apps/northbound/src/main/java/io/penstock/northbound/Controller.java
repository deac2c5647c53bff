// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import com.google.common.base.Throwables;
import io.penstock.base.disk.DiskSpace;
import io.penstock.base.disk.SegmentReserve;
import io.penstock.configuration.ConfigurationStore;
import io.penstock.engine.AllocationWriter;
import io.penstock.engine.Engine;
import io.penstock.engine.Environment;
import io.penstock.engine.NodeAdmission;
import io.penstock.engine.Southbounds;
import io.penstock.engine.SteadyClock;
import io.penstock.engine.node.BridgeTranslator;
import io.penstock.events.EventSink;
import io.penstock.journal.Change;
import io.penstock.journal.NatJournal;
import io.penstock.journal.export.EventSyslog;
import io.penstock.journal.export.Ipfix;
import io.penstock.journal.export.NatSyslog;
import io.penstock.journal.export.UdpExporter;
import io.penstock.northbound.rest.OperationsRpcs;
import io.penstock.northbound.rest.RpcThreads;
import io.penstock.northbound.rest.StateStore;
import io.penstock.northbound.stream.EventHub;
import io.penstock.northbound.stream.Notifications;
import io.penstock.operations.Operations;
import io.penstock.requests.AcceptedChanges;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.ovsdb.OvsdbServer;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
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

/** Makes the controller of its parts; starts and stops with the OSGi framework. Configured in etc/io.penstock.cfg. */
@Component(immediate = true, service = {}, configurationPid = "io.penstock")
@Designate(ocd = Controller.Settings.class)
public final class Controller {
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

        /** ADDRESS:PORT of an IPFIX collector for NAT events; none when empty. */
        @AttributeDefinition
        String nat$_$ipfix() default "";

        /** ADDRESS:PORT of a syslog collector for events; none when empty. */
        @AttributeDefinition
        String event$_$syslog() default "";

        /** Time in which all flows of each switch are compared with its plan and repaired, in seconds; 0 for never. */
        @AttributeDefinition
        int flow$_$check$_$seconds() default 50;

        /** Where RESTCONF is, for people. */
        @AttributeDefinition
        String restconf$_$url() default "http://127.0.0.1:8181/rests";
    }

    /** What has to end when the controller does, the last first. */
    private final Deque<Runnable> ends = new ArrayDeque<>();

    /** Starts the engine. Where that fails the store refuses all changes, with the reason. */
    @Activate
    @SuppressWarnings("checkstyle:IllegalCatch")
    public Controller(@Reference final ConfigurationStore store, @Reference final RpcProviderService rpcProvider,
            @Reference final DOMNotificationPublishService notifications, @Reference final DOMSchemaService models,
            @Reference final EventHub stream, @Reference final AcceptedChanges changes,
            @Reference final OpenFlowSouthbound southbound, @Reference final DataBroker broker,
            final BundleContext bundles, final Settings settings) {
        final List<EventSink> sinks = new ArrayList<>(List.of(EventSink.log(),
            new Notifications(models::getGlobalContext, notifications, Clock.systemUTC()),
            stream.sink(Clock.systemUTC())));
        try {
            collector(settings.event$_$syslog(), new EventSyslog(hostName(), Clock.systemUTC())).ifPresent(exporter -> {
                ends.push(exporter::close);
                sinks.add(event -> exporter.accept(List.of(event)));
            });
            final NodeAdmission admission = admission(settings.nodes());
            final Path base = Path.of(bundles.getProperty("karaf.base"));
            final NatJournal journal = new NatJournal(base.resolve(settings.nat$_$journal()), Clock.systemUTC());
            final Engine engine = new Engine(store, new AllocationWriter(store, journal, new DiskSpace(base),
                    new SegmentReserve(base.resolve("segmented-journal")), exporters(settings)),
                new Southbounds(southbound, new OvsdbServer(), new BridgeTranslator("tcp:"
                    + settings.openflow$_$listen$_$address() + ":" + settings.openflow$_$listen$_$port()),
                    admission),
                Environment.of(SteadyClock.open(base.resolve("steady-clock"), Clock.systemUTC()), () -> end(bundles)),
                new StateStore(broker), EventSink.all(sinks),
                Duration.ofSeconds(settings.flow$_$check$_$seconds()));
            ends.push(engine::close);
            engine.start(settings.ovsdb$_$listen$_$address(), settings.ovsdb$_$listen$_$port());
            changes.tellTo(EventSink.all(sinks));
            ends.push(() -> changes.tellTo(event -> { }));
            final Operations operations = new EngineOperations(engine, settings.restconf$_$url(),
                bundles.getBundle().getVersion().toString());
            final RpcThreads threads = new RpcThreads();
            ends.push(threads::close);
            ends.push(new OperationsRpcs(operations, threads).register(rpcProvider)::close);
            ends.push(bundles.registerService(Operations.class, operations, null)::unregister);
        } catch (RuntimeException e) {
            stop();
            store.fail("it did not start: " + reason(e));
            throw e;
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

    private static List<UdpExporter<Change>> exporters(final Settings settings) {
        return Stream.of(collector(settings.nat$_$syslog(), new NatSyslog(hostName())),
            collector(settings.nat$_$ipfix(), new Ipfix(Clock.systemUTC()))).flatMap(Optional::stream).toList();
    }

    private static <T> Optional<UdpExporter<T>> collector(final String address,
            final Function<List<T>, List<ByteBuffer>> format) {
        return address.isEmpty() ? Optional.empty()
            : Optional.of(new UdpExporter<>(UdpExporter.collector(address), format));
    }

    /** RFC 5424 has a dash for a name that is not known. */
    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "-";
        }
    }

    /** Ends what was begun, the last first. */
    @Deactivate
    void stop() {
        while (!ends.isEmpty()) {
            ends.pop().run();
        }
    }
}
