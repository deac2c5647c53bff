// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.penstock.base.tasks.TaskThread;
import io.penstock.base.tls.PeerTls;
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
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.opendaylight.mdsal.binding.api.DataBroker;
import org.opendaylight.mdsal.binding.api.NotificationService;
import org.opendaylight.mdsal.binding.api.RpcConsumerRegistry;
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
    /** After which a connection has been lost that is not in use: OpenFlowPlugin itself gives one 20 s. */
    private static final Duration LOST = Duration.ofSeconds(30);

    private final TaskThread thread = new TaskThread("penstock-openflow-lost");
    private final SwitchIdentities identities;
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
    private final MastershipChangeRegistration registration;

    /** Starts to follow the switches. */
    @Activate
    public OpenFlowSouthboundComponent(
            @Reference final OpenFlowListener listener,
            @Reference final OpenFlowPluginExtensionRegistratorProvider extensions,
            @Reference final MastershipChangeServiceManager masterships,
            @Reference final RpcConsumerRegistry rpcs,
            @Reference final NotificationService notifications,
            @Reference final DataBroker broker) {
        this.broker = broker;
        this.notifications = notifications;
        identities = listener.identities();
        extension = new WireExtension(listener, extensions.getExtensionConverterRegistrator());
        messenger = new Messenger(rpcs);
        reader = new FlowReader(rpcs);
        meterReader = new MeterReader(rpcs);
        sender = new BundleSender(messenger);
        plain = new PlainSender(messenger);
        meters = new Meters(messenger, plain);
        connections = new Connections(extension::claim, new Connections.Roles() {
            @Override
            public CompletableFuture<Void> master(final SwitchId target, final long epoch) {
                return plain.sendAll(target, List.of(WireMessages.master(epoch)));
            }

            @Override
            public CompletableFuture<Void> slave(final SwitchId target, final long epoch) {
                return plain.sendAll(target, List.of(WireMessages.slave(epoch)));
            }
        });
        registration = masterships.register(connections);
        thread.every(LOST, LOST, () -> identities.cutLost(connections::isPresent, LOST));
    }

    /** Forgets all listeners and lets OpenFlowPlugin be what it was. */
    @Deactivate
    public void stop() throws Exception {
        thread.close();
        connections.close();
        registration.close();
        extension.close();
    }

    @Override
    public Runnable believe(final PeerTls certificates) {
        return identities.believe(certificates);
    }

    @Override
    public void lead(final long epoch, final SwitchAdmission admission, final Predicate<SwitchId> first) {
        identities.judgeBy(admission);
        connections.lead(epoch, first);
    }

    @Override
    public void reconsider(final SwitchId id) {
        connections.reconsider(id);
    }

    @Override
    public void standBy(final long epoch, final SwitchAdmission admission) {
        identities.judgeBy(admission);
        connections.standBy(epoch);
    }

    @Override
    public void rest() {
        identities.rest();
        connections.rest();
    }

    @Override
    public Set<SwitchId> connected() {
        return connections.connected();
    }

    @Override
    public CompletableFuture<FlowDump> readFlows(final SwitchId source) {
        return readFlows(source, 0, 0);
    }

    @Override
    public CompletableFuture<FlowDump> readFlows(final SwitchId source, final long cookie, final long cookieMask) {
        return connections.whilePresent(source, reader.read(source, cookie, cookieMask));
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
        return connections.whilePresent(source, meterReader.read(source));
    }

    @Override
    public CompletableFuture<List<MeterCount>> readMeterCounts(final SwitchId source) {
        return connections.whileConnected(source, meterReader.counts(source));
    }

    @Override
    public CompletableFuture<List<MeterCount>> readMeterCounts(final SwitchId source, final Set<Integer> ids) {
        return connections.whileConnected(source, meterReader.counts(source, ids));
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
