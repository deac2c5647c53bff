// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.rest;

import static java.util.Objects.requireNonNull;
import static org.opendaylight.mdsal.common.api.LogicalDatastoreType.OPERATIONAL;

import io.penstock.engine.state.FunctionState;
import io.penstock.engine.state.NodeState;
import io.penstock.engine.state.PoolState;
import io.penstock.engine.state.StateSink;
import io.penstock.engine.state.TenantState;
import io.penstock.events.OperatorEvent;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.opendaylight.mdsal.binding.api.DataBroker;
import org.opendaylight.mdsal.binding.api.WriteTransaction;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.Ipv4AddressNoZone;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.Ipv4Prefix;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.Counter64;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.DateAndTime;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.State;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.Function;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.FunctionBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.FunctionKey;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.Node;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.NodeBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.NodeKey;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.Pool;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.PoolBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.PoolKey;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.Tenant;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.TenantBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.TenantKey;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.function.InstanceBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.node.Port;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.node.PortBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.tenant.AttachmentBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.tenant.PublicPrefix;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.tenant.PublicPrefixBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.tenant.node.LimitedBuilder;
import org.opendaylight.yangtools.yang.binding.ChildOf;
import org.opendaylight.yangtools.yang.binding.DataObject;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.yang.binding.util.BindingMap;
import org.opendaylight.yangtools.yang.common.Uint16;
import org.opendaylight.yangtools.yang.common.Uint32;
import org.opendaylight.yangtools.yang.common.Uint64;

/** The operational datastore, in which clients read and follow the state. */
public final class StateStore implements StateSink {
    private static final InstanceIdentifier<State> ROOT = InstanceIdentifier.create(State.class);
    private static final long COMMIT_SECONDS = 60;

    private final DataBroker broker;

    /** The operational side of a datastore. */
    public StateStore(final DataBroker broker) {
        this.broker = requireNonNull(broker);
    }

    @Override
    public void clear() {
        final WriteTransaction transaction = broker.newWriteOnlyTransaction();
        transaction.delete(OPERATIONAL, ROOT);
        commit(transaction);
    }

    @Override
    public void write(final Changes changes) {
        final WriteTransaction transaction = broker.newWriteOnlyTransaction();
        put(transaction, changes.nodes(), name -> ROOT.child(Node.class, new NodeKey(name)), StateStore::node);
        put(transaction, changes.tenants(), name -> ROOT.child(Tenant.class, new TenantKey(name)),
            StateStore::tenant);
        put(transaction, changes.functions(), name -> ROOT.child(
            Function.class,
            new FunctionKey(name)),
            StateStore::function);
        put(transaction, changes.pools(), name -> ROOT.child(Pool.class, new PoolKey(name)), StateStore::pool);
        commit(transaction);
    }

    private static <S, T extends DataObject & ChildOf<State>> void put(final WriteTransaction transaction,
            final Map<String, Optional<Entry<S>>> changes,
            final java.util.function.Function<String, InstanceIdentifier<T>> path,
            final BiFunction<String, Entry<S>, T> writer) {
        changes.forEach((name, entry) -> entry.ifPresentOrElse(
            now -> transaction.mergeParentStructurePut(OPERATIONAL, path.apply(name), writer.apply(name, now)),
            () -> transaction.delete(OPERATIONAL, path.apply(name))));
    }

    private static void commit(final WriteTransaction transaction) {
        try {
            transaction.commit().get(COMMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the operational datastore does not take it: " + e, e);
        }
    }

    private static Node node(final String name, final Entry<NodeState> entry) {
        final NodeState state = entry.state();
        return new NodeBuilder().setName(name).setConnected(state.connected())
            .setDatabaseConnected(state.databaseConnected()).setInSync(state.inSync()).setSince(time(entry.since()))
            .setOpenVswitch(state.openVswitch().isEmpty() ? null : state.openVswitch())
            .setDpdk(state.dpdk().isEmpty() ? null : state.dpdk())
            .setWarning(state.warning().isEmpty() ? null : state.warning())
            .setPlannedFlows(Uint32.valueOf(state.plannedFlows()))
            .setMissingFlows(Uint32.valueOf(state.drift().differences().missing()))
            .setExcessFlows(Uint32.valueOf(state.drift().differences().excess()))
            .setWrongFlows(Uint32.valueOf(state.drift().differences().wrong()))
            .setLastCompared(state.drift().compared().map(StateStore::time).orElse(null))
            .setRepairs(Uint32.valueOf(state.drift().repairs()))
            .setLastRepair(state.drift().repaired().map(StateStore::time).orElse(null))
            .setDroppedPackets(counter(state.dropped()))
            .setPort(state.ports().stream().map(port -> new PortBuilder().setName(port.name()).setUp(port.linkUp())
                .setError(port.error().isEmpty() ? null : port.error()).build())
                .collect(Collectors.toMap(Port::key, port -> port, (one, other) -> other))).build();
    }

    private static Tenant tenant(final String name, final Entry<TenantState> entry) {
        final TenantState state = entry.state();
        return new TenantBuilder().setName(name).setStatus(status(state.kind()))
            .setReason(state.reason().isEmpty() ? null : state.reason()).setSince(time(entry.since()))
            .setId(state.id() == 0 ? null : Uint32.valueOf(state.id()))
            .setPublicAddress(state.address().map(address -> new Ipv4AddressNoZone(address.toString())).orElse(null))
            .setPool(state.address().isEmpty() ? null : state.pool().orElse(null))
            .setPublicPrefix(state.mappings().stream().map(StateStore::mapping).collect(BindingMap.toMap()))
            .setAttachment(state.attachments().stream().map(at -> new AttachmentBuilder().setName(at.name())
                .setNode(at.node()).setPort(at.port()).setVlan(Uint16.valueOf(at.vlan())).build())
                .collect(BindingMap.toMap()))
            .setChain(state.chain().orElse(null))
            .setNode(state.nodes().entrySet().stream().map(each -> onNode(each.getKey(), each.getValue()))
                .collect(BindingMap.toMap()))
            .setBoundLeases(Uint32.valueOf(state.boundLeases())).setPortBlocks(Uint32.valueOf(state.portBlocks()))
            .build();
    }

    private static PublicPrefix mapping(final TenantState.Mapping mapping) {
        return new PublicPrefixBuilder().setKind(PublicPrefix.Kind.ofName(mapping.kind()))
            .setInsidePrefix(new Ipv4Prefix(mapping.inside())).setPublicPrefix(new Ipv4Prefix(mapping.outside()))
            .setUsedBlocks(mapping.usedBlocks().isPresent() ? Uint32.valueOf(mapping.usedBlocks().getAsInt()) : null)
            .build();
    }

    private static org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.tenant.Node onNode(
            final String name, final TenantState.OnNode state) {
        return new org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.state.tenant.NodeBuilder()
            .setName(name).setVrf(Uint16.valueOf(state.vrf().number()))
            .setSessions(state.sessions().isPresent() ? Uint64.valueOf(state.sessions().getAsLong()) : null)
            .setDroppedPackets(counter(state.dropped().dropped()))
            .setGuardedPackets(counter(state.dropped().guarded()))
            .setLimited(state.dropped().limited().entrySet().stream().map(each -> new LimitedBuilder()
                .setMeter(OperatorEvent.word(each.getKey())).setDroppedPackets(counter(each.getValue())).build())
                .collect(BindingMap.toMap())).build();
    }

    private static Counter64 counter(final long packets) {
        return new Counter64(Uint64.valueOf(packets));
    }

    private static Function function(final String name, final Entry<FunctionState> entry) {
        return new FunctionBuilder().setName(name).setStatus(status(entry.state().kind()))
            .setSince(time(entry.since())).setInstance(entry.state().instances().stream().map(instance ->
                new InstanceBuilder().setName(instance.name()).setPortsUp(instance.portsUp())
                    .setAnswersProbes(instance.answersProbes()).build()).collect(BindingMap.toMap())).build();
    }

    private static Pool pool(final String name, final Entry<PoolState> entry) {
        return new PoolBuilder().setName(name).setSize(Uint64.valueOf(entry.state().size()))
            .setUsed(Uint64.valueOf(entry.state().used())).build();
    }

    private static Tenant.Status status(final TenantState.Kind kind) {
        return switch (kind) {
            case ACTIVE -> Tenant.Status.Active;
            case RESTRICTED, LACKING -> Tenant.Status.Degraded;
            case INSTALLING -> Tenant.Status.Installing;
            case WAITING -> Tenant.Status.Waiting;
            case STOPPED -> Tenant.Status.Stopped;
            case FAILED -> Tenant.Status.Failed;
        };
    }

    private static Function.Status status(final FunctionState.Kind kind) {
        return switch (kind) {
            case UP -> Function.Status.Up;
            case DOWN -> Function.Status.Down;
            case WAITING -> Function.Status.Waiting;
        };
    }

    private static DateAndTime time(final Instant instant) {
        return new DateAndTime(instant.truncatedTo(ChronoUnit.MILLIS).toString());
    }
}
