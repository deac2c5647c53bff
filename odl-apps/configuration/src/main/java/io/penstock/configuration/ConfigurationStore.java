// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.Iterables;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.southbound.ovsdb.NodeAnnouncement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.opendaylight.mdsal.binding.api.ClusteredDataTreeChangeListener;
import org.opendaylight.mdsal.binding.api.DataBroker;
import org.opendaylight.mdsal.binding.api.DataTreeIdentifier;
import org.opendaylight.mdsal.binding.api.ReadTransaction;
import org.opendaylight.mdsal.binding.api.ReadWriteTransaction;
import org.opendaylight.mdsal.binding.api.WriteTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.mdsal.dom.api.DOMDataBroker;
import org.opendaylight.mdsal.dom.api.DOMDataTreeChangeListener;
import org.opendaylight.mdsal.dom.api.DOMDataTreeChangeService;
import org.opendaylight.mdsal.dom.api.DOMDataTreeCommitCohortRegistry;
import org.opendaylight.mdsal.dom.api.DOMDataTreeIdentifier;
import org.opendaylight.mdsal.dom.api.DOMDataTreeReadTransaction;
import org.opendaylight.mdsal.dom.api.DOMSchemaService;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.NatJournal;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Name;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.network.Node;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.network.NodeKey;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeCandidate;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration datastore, guarded from the moment that this object is made until it is closed. An OSGi component
 * of its own, so that a controller whose engine does not start refuses changes. Safe for all threads.
 */
@Component(service = ConfigurationStore.class, immediate = true)
public final class ConfigurationStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationStore.class);

    /** Attempts to claim the mastership: more than writes that a former master can have under way. */
    private static final int CLAIMS = 20;

    private final DOMDataBroker domBroker;
    private final DataBroker broker;
    private final ConfigurationGuard guard;
    private final Registration guarding;
    private final List<Registration> registrations = new CopyOnWriteArrayList<>();
    /** Why nodes were refused the last time: it is logged once, however often they are tried again. */
    private final Map<NodeKey, String> refusals = new ConcurrentHashMap<>();

    /** The configuration at one moment. */
    record Trees(Optional<NormalizedNode> network, Optional<NormalizedNode> acls) { }

    /**
     * A store over the two faces of one datastore, which refuses all changes until it is started.
     *
     * @param models what the controller knows of YANG, where defaults are read
     */
    @Activate
    public ConfigurationStore(@Reference final DOMSchemaService models, @Reference final DOMDataBroker domBroker,
            @Reference final DataBroker broker) {
        guard = new ConfigurationGuard(new NetworkReader(models::getGlobalContext));
        this.domBroker = requireNonNull(domBroker);
        this.broker = requireNonNull(broker);
        // At the root: of two trees that are changed at the same time each would be judged beside the other's past.
        guarding = domBroker.getExtensions().getInstance(DOMDataTreeCommitCohortRegistry.class)
            .registerCommitCohort(ConfigurationPaths.ROOT, guard);
    }

    /**
     * Begins to take changes, for an engine, and to tell it of them.
     *
     * @param desired what is configured and handed out so far, for the check
     * @param nodes what the nodes that are connected have said of themselves, for the check
     * @param trouble why the engine cannot take over any change, empty when it can
     * @param changed called after every change, and once at the beginning; must not block
     */
    public void start(final Supplier<Desired> desired, final Supplier<List<NodeAnnouncement>> nodes,
            final Supplier<Optional<String>> trouble, final Runnable changed) {
        final DOMDataTreeChangeService changes =
            domBroker.getExtensions().getInstance(DOMDataTreeChangeService.class);
        for (final DOMDataTreeIdentifier tree : List.of(ConfigurationPaths.NETWORK, ConfigurationPaths.ACLS)) {
            registrations.add(changes.registerDataTreeChangeListener(tree, listener(changed)));
        }
        guard.judgeBy(desired, nodes, trouble);
        changed.run();
    }

    /**
     * Refuses changes that another member of the cluster cannot store.
     *
     * @param lacking finds such a member for a path, without choices and with each list once; empty while all members
     *     have the same models
     */
    public void refuseUnknown(final Supplier<Optional<Function<List<QName>, Optional<String>>>> lacking) {
        guard.refuseUnknown(lacking);
    }

    /** Tells from now on how changes of the configuration fare. */
    public void observedBy(final CommitObserver observer) {
        guard.observedBy(observer);
    }

    /**
     * Refuses changes of all trees of the datastore, also those of others, while there is a reason.
     *
     * @param reason why nothing can be stored, empty when it can
     */
    public void refuseDuring(final Supplier<Optional<String>> reason) {
        guard.refuseDuring(reason);
    }

    /**
     * Says that the engine does not all that it should, while there is a reason. Changes are taken.
     *
     * @param reason why, and what to do; empty when it does
     */
    public void impairedBy(final Supplier<Optional<String>> reason) {
        guard.impairedBy(reason);
    }

    /**
     * Has no engine from now on, because another member of the cluster has it.
     *
     * @param reason for the people whose changes are refused
     */
    public void standBy(final String reason) {
        end(reason, Readiness.Level.STANDBY);
    }

    /**
     * Says what an operator has to do soon, while there is a reason and no greater trouble. Changes are taken.
     *
     * @param reason what, and why; empty when there is nothing
     */
    public void warnedBy(final Supplier<Optional<String>> reason) {
        guard.warnedBy(reason);
    }

    /**
     * Refuses changes from now on, and ends the notifications of changes.
     *
     * @param reason for the people whose changes are refused
     */
    public void stop(final String reason) {
        end(reason, Readiness.Level.ABSENT);
    }

    /**
     * The same, because an engine cannot start.
     *
     * @param reason why, and what to do
     */
    public void fail(final String reason) {
        end(reason, Readiness.Level.FAILED);
    }

    private void end(final String reason, final Readiness.Level level) {
        guard.refuse(reason, level);
        registrations.forEach(Registration::close);
        registrations.clear();
    }

    private static DOMDataTreeChangeListener listener(final Runnable changed) {
        return new DOMDataTreeChangeListener() {
            @Override
            public void onDataTreeChanged(final List<DataTreeCandidate> candidates) {
                changed.run();
            }

            @Override
            public void onInitialData() {
                changed.run();
            }
        };
    }

    /**
     * The configuration with all that was committed before this call, judged. What has not been changed since the last
     * call is the same object as then.
     *
     * @param allocations what was handed out so far
     */
    public Stored stored(final Allocations allocations) {
        final Trees trees = trees();
        return guard.judgeStored(trees.network(), trees.acls(), allocations);
    }

    /** Whether what is stored is carried out, and if not, why. */
    public Readiness readiness() {
        return guard.readiness();
    }

    private Trees trees() {
        try (DOMDataTreeReadTransaction transaction = domBroker.newReadOnlyTransaction()) {
            return new Trees(read(transaction, ConfigurationPaths.NETWORK), read(transaction, ConfigurationPaths.ACLS));
        }
    }

    private static Optional<NormalizedNode> read(final DOMDataTreeReadTransaction transaction,
            final DOMDataTreeIdentifier path) {
        return Datastore.await(transaction.read(path.getDatastoreType(), path.getRootIdentifier()),
            "cannot read " + path);
    }

    /** What was handed out before this controller started. */
    public Allocations readAllocations() {
        try (ReadTransaction transaction = broker.newReadOnlyTransaction()) {
            return Datastore.await(transaction.read(LogicalDatastoreType.CONFIGURATION, AllocationCodec.PATH),
                "cannot read the allocations").map(AllocationCodec::read).orElseGet(Allocations::none);
        }
    }

    /**
     * Makes an engine of a member of the cluster the one that allocates, in the place of the one before, whose writes
     * are refused from now on.
     *
     * @param now the time. Nodes keep the epoch when the datastore is lost, or restored from a copy, so that no epoch
     *     is less than the seconds since 1970
     * @throws DatastoreException when the datastore does not take it. Then it is not known whether the one before may
     *     still write, and another attempt ends that
     */
    public Mastership claim(final String member, final Instant now) {
        for (int attempt = 1;; attempt++) {
            final ReadWriteTransaction transaction = broker.newReadWriteTransaction();
            final Mastership mastership = MastershipFence.next(transaction, member, now.getEpochSecond());
            try {
                commitAllocations(transaction, "the mastership");
                LOG.info("{} is the master with epoch {}", member, mastership.epoch());
                return mastership;
            } catch (DatastoreException e) {
                // The last writes of the former master may be applied after this was read.
                if (attempt == CLAIMS || !e.isConflict()) {
                    throw e;
                }
            }
        }
    }

    /** Whether a mastership is the stored one. Blocks while no member leads. */
    public boolean isStored(final Mastership mastership) {
        try (ReadTransaction transaction = broker.newReadOnlyTransaction()) {
            return MastershipFence.read(transaction).equals(Optional.of(mastership));
        }
    }

    /**
     * Stores where what was handed out differs from what is stored, and returns when it is safe on disk.
     *
     * @param mastership of the engine that hands out; has to be the last one that was claimed
     * @param tenants names of those for which it may differ; empty if that is not known
     * @param journal the lines of the journal that tell of it, which members get with it; may be empty
     */
    public void writeAllocations(final Mastership mastership, final Allocations stored, final Allocations allocations,
            final Optional<Set<String>> tenants, final JournalLines journal) {
        final ReadWriteTransaction transaction = broker.newReadWriteTransaction();
        MastershipFence.require(transaction, mastership);
        tenants.ifPresentOrElse(names -> AllocationCodec.write(transaction, stored, allocations, names),
            () -> AllocationCodec.write(transaction, stored, allocations));
        if (!journal.lines().isEmpty()) {
            JournalRing.append(transaction, journal.first(), journal.lines());
        }
        commitAllocations(transaction, "the allocations");
    }

    /** The newest lines of the journal that were stored with what they tell of, in batches. */
    public List<List<String>> journal() {
        try (ReadTransaction transaction = broker.newReadOnlyTransaction()) {
            return JournalRing.read(Datastore.await(
                transaction.read(LogicalDatastoreType.CONFIGURATION, JournalRing.PATH), "cannot read the journal"));
        }
    }

    /** Removes these lines: a controller alone has its journal in its files. */
    public void forgetJournal(final Mastership mastership) {
        if (!journal().isEmpty()) {
            final ReadWriteTransaction transaction = broker.newReadWriteTransaction();
            MastershipFence.require(transaction, mastership);
            transaction.delete(LogicalDatastoreType.CONFIGURATION, JournalRing.PATH);
            commitAllocations(transaction, "the journal");
        }
    }

    /**
     * Tells of these lines whenever they change, wherever in the cluster, in the order of the changes.
     *
     * @param listener takes them all as {@link #journal} has them; may block
     * @return ends that
     */
    public Runnable followJournal(final Consumer<List<List<String>>> listener) {
        return broker.registerDataTreeChangeListener(
            DataTreeIdentifier.create(LogicalDatastoreType.CONFIGURATION, JournalRing.PATH),
            follower(listener))::close;
    }

    /**
     * Tells of the mastership and of nodes whenever they change, wherever in the cluster, and of what is there now.
     *
     * @param listener must not block for long
     * @return ends that
     */
    public Runnable followMaster(final Consumer<OtherMaster> listener) {
        return broker.registerDataTreeChangeListener(
            DataTreeIdentifier.create(LogicalDatastoreType.CONFIGURATION, AllocationCodec.PATH),
            new OtherMaster.Follower(listener))::close;
    }

    private static ClusteredDataTreeChangeListener<NatJournal> follower(
            final Consumer<List<List<String>>> listener) {
        return changes -> listener.accept(JournalRing.read(Optional.ofNullable(
            Iterables.getLast(changes).getRootNode().getDataAfter())));
    }

    private void commitAllocations(final WriteTransaction transaction, final String what) {
        guard.allocates(true);
        try {
            commit(transaction, what);
        } finally {
            guard.allocates(false);
        }
    }

    /**
     * Stores a node as it announced itself, if that is allowed and new. Leaves that are the operator's stay.
     * Nothing is thrown when it is refused.
     *
     * @return whether the node is stored like this now; if not it may be worth another attempt
     */
    public boolean register(final NodeAnnouncement announcement) {
        final NodeKey key = new NodeKey(new Name(announcement.name()));
        final InstanceIdentifier<Node> path = InstanceIdentifier.create(Network.class).child(Node.class, key);
        // One transaction: an address that is configured meanwhile makes it fail, and is not lost.
        final ReadWriteTransaction transaction = broker.newReadWriteTransaction();
        final Optional<Node> stored;
        try {
            stored = Datastore.await(transaction.read(LogicalDatastoreType.CONFIGURATION, path),
                "cannot read the node");
        } catch (DatastoreException e) {
            LOG.error("Node {} is not registered, and will be tried again", announcement.name(), e);
            transaction.cancel();
            return false;
        }
        final Node node;
        try {
            node = NodeRegistration.of(announcement, stored);
        } catch (IllegalArgumentException e) {
            transaction.cancel();
            throw e;
        }
        if (stored.filter(node::equals).isPresent()) {
            transaction.cancel();
            return true;
        }
        transaction.mergeParentStructurePut(LogicalDatastoreType.CONFIGURATION, path, node);
        try {
            commit(transaction, "node " + node.getName().getValue());
            LOG.info("Node {} registered with ports {}", node.getName().getValue(),
                node.nonnullPort().keySet().stream().map(port -> port.getName()).sorted().toList());
            refusals.remove(node.key());
            return true;
        } catch (DatastoreException e) {
            final String reason = String.valueOf(e.getMessage());
            if (!reason.equals(refusals.put(node.key(), reason))) {
                LOG.warn("Node {} is not stored as it announced itself, the stored ports stay: {}",
                    node.getName().getValue(), reason);
            }
            return false;
        }
    }

    private static void commit(final WriteTransaction transaction, final String what) {
        Datastore.await(transaction.commit(), "cannot store " + what);
    }

    @Deactivate
    @Override
    public void close() {
        stop("the controller stops");
        guarding.close();
    }
}
