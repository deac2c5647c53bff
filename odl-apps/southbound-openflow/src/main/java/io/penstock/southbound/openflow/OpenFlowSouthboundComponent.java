// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import com.google.common.base.Ticker;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.wire.WireMessages;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.opendaylight.mdsal.binding.api.DataBroker;
import org.opendaylight.mdsal.binding.api.NotificationService;
import org.opendaylight.mdsal.binding.api.RpcConsumerRegistry;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipService;
import org.opendaylight.openflowjava.protocol.spi.connection.SwitchConnectionProvider;
import org.opendaylight.openflowplugin.api.openflow.mastership.MastershipChangeRegistration;
import org.opendaylight.openflowplugin.api.openflow.mastership.MastershipChangeServiceManager;
import org.opendaylight.openflowplugin.extension.api.OpenFlowPluginExtensionRegistratorProvider;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Puts the parts together and offers them as a service. */
@Component(service = OpenFlowSouthbound.class, immediate = true)
public final class OpenFlowSouthboundComponent implements OpenFlowSouthbound {
    private final DataBroker broker;
    private final NotificationService notifications;
    private final WireExtension extension;
    private final Messenger messenger;
    private final Meters meters;
    private final MeterReader meterReader;
    private final FlowReader reader;
    private final FlowSender sender;
    private final PlainSender plain;
    private final Connections connections;
    private final Elections elections;
    private final ElectionProbe probe;
    private final MastershipChangeRegistration registration;

    /** Starts to follow the switches. */
    @Activate
    public OpenFlowSouthboundComponent(
            @Reference(target = "(type=openflow-switch-connection-provider-default-impl)")
            final SwitchConnectionProvider switches,
            @Reference final OpenFlowPluginExtensionRegistratorProvider extensions,
            @Reference final MastershipChangeServiceManager masterships,
            @Reference final RpcConsumerRegistry rpcs,
            @Reference final NotificationService notifications,
            @Reference final DataBroker broker,
            @Reference final EntityOwnershipService ownership) {
        this.broker = broker;
        this.notifications = notifications;
        extension = new WireExtension(switches, extensions.getExtensionConverterRegistrator());
        messenger = new Messenger(rpcs);
        reader = new FlowReader(rpcs);
        meterReader = new MeterReader(rpcs);
        sender = new BundleSender(messenger);
        plain = new PlainSender(messenger);
        meters = new Meters(messenger, plain);
        connections = new Connections(extension::claim);
        elections = new Elections(ownership);
        probe = new ElectionProbe(ownership, Ticker.systemTicker());
        registration = masterships.register(connections);
    }

    /** Forgets all listeners and lets OpenFlowPlugin be what it was. */
    @Deactivate
    public void stop() throws Exception {
        probe.close();
        connections.close();
        registration.close();
        extension.close();
    }

    @Override
    public Set<SwitchId> connected() {
        return connections.connected();
    }

    @Override
    public void elect(final SwitchId unserved) {
        elections.hold(unserved);
    }

    @Override
    public Duration electionsSilent() {
        return probe.silence();
    }

    @Override
    public CompletableFuture<FlowDump> readFlows(final SwitchId source) {
        return readFlows(source, 0, 0);
    }

    @Override
    public CompletableFuture<FlowDump> readFlows(final SwitchId source, final long cookie, final long cookieMask) {
        return connections.whileConnected(source, reader.read(source, cookie, cookieMask));
    }

    @Override
    public CompletableFuture<FlowDump> readTable(final SwitchId source, final int table) {
        return connections.whileConnected(source, reader.readTable(source, table));
    }

    @Override
    public CompletableFuture<FlowDump> readTable(final SwitchId source, final Table table, final long cookie) {
        return connections.whileConnected(source, reader.readTable(source, table.number(), cookie));
    }

    @Override
    public CompletableFuture<Void> apply(final SwitchId target, final FlowChanges changes) {
        return connections.whileConnected(target, sender.apply(target, changes));
    }

    @Override
    public CompletableFuture<Map<Integer, Optional<MeterSpec>>> readMeters(final SwitchId source) {
        return connections.whileConnected(source, meterReader.read(source));
    }

    @Override
    public CompletableFuture<List<MeterCount>> readMeterCounts(final SwitchId source) {
        return connections.whileConnected(source, meterReader.counts(source));
    }

    @Override
    public CompletableFuture<Void> setMeters(final SwitchId target, final Collection<MeterSpec> wanted) {
        return connections.whileConnected(target, meters.set(target, wanted));
    }

    @Override
    public CompletableFuture<Void> deleteMeters(final SwitchId target, final Set<Integer> ids) {
        return connections.whileConnected(target, meters.delete(target, ids));
    }

    @Override
    public CompletableFuture<Void> packetOut(final SwitchId target, final int inPort, final List<Action> actions,
            final byte[] frame) {
        return connections.whileConnected(target, messenger.send(target,
            WireMessages.packetOut(inPort == NO_PORT ? WireMessages.NO_PORT : inPort, actions, frame)));
    }

    @Override
    public CompletableFuture<Void> flush(final SwitchId target, final Set<TrackedConnections> forgotten,
            final List<FlowSpec.Key> markers) {
        // Sessions copy what conntrack has just forgotten.
        return connections.whileConnected(target, plain.sendAll(target, Stream.concat(
            forgotten.stream().map(each -> each.publicAddress()
                .map(address -> WireMessages.flushAddress(each.zone(), address))
                .orElseGet(() -> WireMessages.flushZone(each.zone()))),
            forgotten.stream().map(TrackedConnections::zone).distinct()
                .map(zone -> WireMessages.deleteAll(Cookie.of(Cookie.Kind.SESSION, zone)))).toList())
            .thenCompose(done -> plain.sendAll(target, markers.stream().map(WireMessages::delete).toList())));
    }

    @Override
    public CompletableFuture<Void> barrier(final SwitchId target) {
        return connections.whileConnected(target, messenger.barrier(target));
    }

    @Override
    public Registration listen(final ConnectionListener listener) {
        return connections.listen(listener);
    }

    @Override
    public Registration listen(final PortListener listener) {
        return Ports.listen(broker, listener);
    }

    @Override
    public Registration listen(final PacketInListener listener) {
        return PacketIns.listen(notifications, listener);
    }
}
