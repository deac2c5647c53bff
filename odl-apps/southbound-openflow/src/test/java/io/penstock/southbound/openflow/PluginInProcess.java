// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.opendaylight.infrautils.diagstatus.DiagStatusService;
import org.opendaylight.infrautils.diagstatus.ServiceRegistration;
import org.opendaylight.infrautils.ready.SystemReadyMonitor;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipCandidateRegistration;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipListenerRegistration;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipService;
import org.opendaylight.mdsal.eos.common.api.CandidateAlreadyRegisteredException;
import org.opendaylight.openflowjava.protocol.impl.core.TcpHandler;
import org.opendaylight.openflowjava.protocol.spi.connection.SwitchConnectionProviderList;
import org.opendaylight.openflowplugin.api.openflow.configuration.ConfigurationService;
import org.opendaylight.openflowplugin.impl.DiagStatusProvider;
import org.opendaylight.openflowplugin.impl.ForwardingPingPongDataBroker;
import org.opendaylight.openflowplugin.impl.OpenFlowPluginProviderImpl;
import org.opendaylight.openflowplugin.impl.mastership.MastershipChangeServiceManagerImpl;

/** The real OpenFlowPlugin in this JVM, without OSGi and without a cluster, and our southbound on it. */
public final class PluginInProcess implements AutoCloseable {
    /** The plugin's defaults, with polling off, and with more time for a switch to answer: it shares the machine. */
    private static final Map<String, String> CONFIG = Map.ofEntries(
        Map.entry("rpc-requests-quota", "20000"),
        Map.entry("switch-features-mandatory", "false"),
        Map.entry("global-notification-quota", "64000"),
        Map.entry("is-statistics-polling-on", "false"),
        Map.entry("is-table-statistics-polling-on", "false"),
        Map.entry("is-flow-statistics-polling-on", "false"),
        Map.entry("is-group-statistics-polling-on", "false"),
        Map.entry("is-meter-statistics-polling-on", "false"),
        Map.entry("is-port-statistics-polling-on", "false"),
        Map.entry("is-queue-statistics-polling-on", "false"),
        Map.entry("is-statistics-rpc-enabled", "false"),
        Map.entry("barrier-interval-timeout-limit", "500"),
        Map.entry("barrier-count-limit", "25600"),
        Map.entry("echo-reply-timeout", "20000"),
        Map.entry("thread-pool-min-threads", "1"),
        Map.entry("thread-pool-max-threads", "32000"),
        Map.entry("thread-pool-timeout", "60"),
        Map.entry("enable-flow-removed-notification", "false"),
        Map.entry("skip-table-features", "true"),
        Map.entry("basic-timer-delay", "3000"),
        Map.entry("maximum-timer-delay", "900000"),
        Map.entry("use-single-layer-serialization", "true"),
        Map.entry("enable-equal-role", "true"),
        Map.entry("device-connection-rate-limit-per-min", "0"),
        Map.entry("device-connection-hold-time-in-seconds", "0"),
        Map.entry("device-datastore-removal-delay", "500"));

    private final SwitchOwnership owner = new SwitchOwnership();
    private final OpenFlowListener connections;
    private final OpenFlowPluginProviderImpl plugin;
    private final OpenFlowSouthboundComponent southbound;
    private final PlainSender plain;

    /** Starts to listen on a free port of the loopback interface, in plain text. */
    public PluginInProcess(final MdSalInProcess mdsal) throws Exception {
        this(mdsal, new ListenerConfiguration(InetAddress.getLoopbackAddress(), 0, null),
            (node, id) -> Optional.empty());
    }

    PluginInProcess(final MdSalInProcess mdsal, final ListenerConfiguration listen, final SwitchAdmission admission)
            throws Exception {
        final MastershipChangeServiceManagerImpl masterships = new MastershipChangeServiceManagerImpl();
        connections = new OpenFlowListener(diagStatus(), listen);
        plugin = new OpenFlowPluginProviderImpl(new Config(), new SwitchConnectionProviderList(List.of(connections)),
            new ForwardingPingPongDataBroker(mdsal.broker()), mdsal.rpcProvider(), mdsal.publisher(),
            owner, ownership(), masterships, mock(DiagStatusProvider.class),
            mock(SystemReadyMonitor.class));
        plugin.initialize();
        southbound = new OpenFlowSouthboundComponent(connections, plugin, masterships, mdsal.rpcs(),
            mdsal.notifications(), mdsal.broker());
        plain = new PlainSender(new Messenger(mdsal.rpcs()));
        southbound.lead(1, admission, id -> true);
        plugin.onSystemBootReady();
        plugin.getFullyStarted().get(1, TimeUnit.MINUTES);
    }

    /** Where switches reach it. */
    public int port() {
        return ((TcpHandler) connections.getServerFacade()).getPort();
    }

    /** Our southbound on it. */
    public OpenFlowSouthbound southbound() {
        return southbound;
    }

    FlowSender plainSender() {
        return plain;
    }

    private static DiagStatusService diagStatus() {
        final DiagStatusService status = mock(DiagStatusService.class);
        when(status.register(anyString())).thenReturn(mock(ServiceRegistration.class));
        return status;
    }

    private static EntityOwnershipService ownership() throws CandidateAlreadyRegisteredException {
        final EntityOwnershipService ownership = mock(EntityOwnershipService.class);
        when(ownership.registerListener(anyString(), any())).thenReturn(
            mock(EntityOwnershipListenerRegistration.class));
        when(ownership.registerCandidate(any())).thenReturn(mock(EntityOwnershipCandidateRegistration.class));
        return ownership;
    }

    @Override
    public void close() throws Exception {
        southbound.stop();
        plugin.close();
        owner.close();
    }

    private static final class Config implements ConfigurationService {
        @Override
        public void update(final Map<String, String> properties) {
            throw new UnsupportedOperationException();
        }

        @Override
        public AutoCloseable registerListener(
                final org.opendaylight.openflowplugin.api.openflow.configuration.ConfigurationListener listener) {
            return () -> { };
        }

        @Override
        public <T> T getProperty(final String key, final Function<String, T> transformer) {
            return transformer.apply(CONFIG.get(key));
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
