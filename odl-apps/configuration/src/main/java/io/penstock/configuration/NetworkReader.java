// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.ChainRule;
import io.penstock.pipeline.intent.ChainRule.Ways;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.HealthCheck;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.Link;
import io.penstock.pipeline.intent.NetworkFunction.Mirror;
import io.penstock.pipeline.intent.NetworkFunction.Mode;
import io.penstock.pipeline.intent.NetworkFunction.Nsh;
import io.penstock.pipeline.intent.NetworkFunction.Routed;
import io.penstock.pipeline.intent.NetworkFunction.Scheduling;
import io.penstock.pipeline.intent.NetworkFunction.Start;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.intent.NetworkFunction.Tagged;
import io.penstock.pipeline.intent.NetworkFunction.TwoOutputs;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Thresholds;
import io.penstock.pipeline.memo.Memo;
import io.penstock.pipeline.net.Mac;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.access.control.list.rev190304.Acls;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifier;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifierWithPredicates;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.PathArgument;
import org.opendaylight.yangtools.yang.data.api.schema.DataContainerNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeCandidateNode;
import org.opendaylight.yangtools.yang.data.tree.api.ModificationType;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/**
 * The datastore's words as a snapshot of intent; only translates. Defaults are those of the model. What the datastore
 * has not changed is still the same object there, and is translated to the same object here. Safe for all threads.
 */
final class NetworkReader {
    private static final String TENANT = "tenant";
    private static final NodeIdentifier TENANTS = NodeIdentifier.create(QName.create(Network.QNAME, TENANT));
    private static final String MIRROR = "mirror";
    private static final String NSH = "nsh";
    private static final String SECOND_OUTPUT = "second-output";
    private static final List<String> MODES = List.of(MIRROR, NSH, SECOND_OUTPUT);

    private final Supplier<EffectiveModelContext> models;
    private final Memo<NormalizedNode, Acl> acls = new Memo<>();
    private Known last = new Known(null, null, Snapshot.empty());
    /** That of before the last change, which may have been refused. */
    private Known previous = last;

    /** Data that was read. */
    private record Known(@Nullable NormalizedNode network, @Nullable NormalizedNode acls, Snapshot snapshot) {
        @SuppressWarnings("ReferenceEquality") // what the datastore has not changed is the same object
        boolean isOf(final Optional<NormalizedNode> otherNetwork, final Optional<NormalizedNode> otherAcls) {
            return network == otherNetwork.orElse(null) && acls == otherAcls.orElse(null);
        }

        /** What was read of an entry of the list of tenants, if it was there. */
        @SuppressWarnings("ReferenceEquality")
        Optional<Tenant> tenant(final NormalizedNode entry) {
            return network instanceof DataContainerNode container
                && container.childByArg(TENANTS) instanceof MapNode list
                && list.childByArg((NodeIdentifierWithPredicates) entry.getIdentifier()) == entry
                ? Optional.ofNullable(snapshot.tenants().get(nameOf(entry.getIdentifier()))) : Optional.empty();
        }
    }

    /** A reader by the models of the controller. */
    NetworkReader(final Supplier<EffectiveModelContext> models) {
        this.models = requireNonNull(models);
    }

    /**
     * Reads the whole configuration. Gives the same object as the last time when nothing was changed since.
     *
     * @param networkNode container network of module penstock
     * @param aclsNode container acls of RFC 8519
     */
    synchronized Snapshot read(final Optional<NormalizedNode> networkNode, final Optional<NormalizedNode> aclsNode)
            throws UnreadableException {
        return read(last, networkNode, aclsNode);
    }

    /**
     * Reads the whole configuration after a change. Where the change is of tenants alone, and of the last configuration
     * that was read or the one before that, only those are read.
     *
     * @param network of the container network of module penstock
     * @param aclsNode container acls of RFC 8519 after it
     */
    synchronized Snapshot read(final DataTreeCandidateNode network, final Optional<NormalizedNode> aclsNode)
            throws UnreadableException {
        final Optional<NormalizedNode> after = network.getDataAfter();
        final Known before = previous.network() == network.getDataBefore().orElse(null) ? previous : last;
        final Optional<DataTreeCandidateNode> list = before.isOf(network.getDataBefore(), aclsNode) ? ofTenants(network)
            : Optional.empty();
        if (list.isEmpty()) {
            return read(before, after, aclsNode);
        }
        final Element whole = Element.of(after, model(models.get(), Network.QNAME));
        final List<Tenant> came = new ArrayList<>();
        final Set<String> gone = new HashSet<>();
        for (final DataTreeCandidateNode entry : list.orElseThrow().getChildNodes()) {
            if (entry.getModificationType() != ModificationType.UNMODIFIED) {
                if (entry.getDataAfter().isPresent()) {
                    came.add(tenant(whole, entry.getDataAfter().orElseThrow()));
                } else {
                    gone.add(nameOf(entry.getIdentifier()));
                }
            }
        }
        return take(before, new Known(after.orElse(null), before.acls(), before.snapshot().with(came, gone)));
    }

    private Snapshot read(final Known before, final Optional<NormalizedNode> networkNode,
            final Optional<NormalizedNode> aclsNode) throws UnreadableException {
        // After a change that was refused, the configuration before it is known.
        for (final Known known : List.of(last, previous)) {
            if (known.isOf(networkNode, aclsNode)) {
                return known.snapshot();
            }
        }
        final EffectiveModelContext context = models.get();
        final Element network = Element.of(networkNode, model(context, Network.QNAME));
        final Element aclsRoot = Element.of(aclsNode, model(context, Acls.QNAME));
        final Snapshot snapshot = Snapshot.of(entries(network, "node", NetworkReader::node),
            backbone(network), entries(network, "pool", NetworkReader::pool),
            entries(network, "function", NetworkReader::function), entries(network, "chain", NetworkReader::chain),
            tenants(network), acls(aclsRoot));
        return take(before, new Known(networkNode.orElse(null), aclsNode.orElse(null), snapshot));
    }

    private Snapshot take(final Known before, final Known now) {
        previous = before;
        last = now;
        return now.snapshot();
    }

    /** The list of tenants, if a change is of it alone. */
    private Optional<DataTreeCandidateNode> ofTenants(final DataTreeCandidateNode network) {
        if (network.getModificationType() != ModificationType.SUBTREE_MODIFIED) {
            return Optional.empty();
        }
        final List<DataTreeCandidateNode> modified = network.getChildNodes().stream()
            .filter(child -> child.getModificationType() != ModificationType.UNMODIFIED).toList();
        return modified.size() != 1 ? Optional.empty() : Optional.of(modified.get(0)).filter(child ->
            child.getModificationType() == ModificationType.SUBTREE_MODIFIED
                && child.getIdentifier().getNodeType().getLocalName().equals(TENANT));
    }

    private static DataNodeContainer model(final EffectiveModelContext context, final QName name) {
        return (DataNodeContainer) context.findDataTreeChild(name).orElseThrow();
    }

    private static <T> List<T> entries(final Element network, final String list, final Leaves.Reading<T> reading)
            throws UnreadableException {
        final List<T> read = new ArrayList<>();
        for (final Element entry : network.list(list, "name")) {
            read.add(reading.of(new Leaves(list + " " + entry.text("name"), "", entry)));
        }
        return read;
    }

    private List<Tenant> tenants(final Element network) throws UnreadableException {
        final List<Tenant> list = new ArrayList<>();
        for (final NormalizedNode entry : network.entries(TENANT)) {
            final Optional<Tenant> known = last.tenant(entry).or(() -> previous.tenant(entry));
            list.add(known.isPresent() ? known.orElseThrow() : tenant(network, entry));
        }
        return list;
    }

    private static String nameOf(final PathArgument entry) {
        return ((NodeIdentifierWithPredicates) entry).values().iterator().next().toString();
    }

    private List<Acl> acls(final Element root) throws UnreadableException {
        acls.begin();
        final List<Acl> list = new ArrayList<>();
        for (final NormalizedNode entry : root.entries("acl")) {
            Acl acl = acls.recall(entry);
            if (acl == null) {
                acl = AclReader.read(root.entry("acl", entry));
                acls.remember(entry, acl);
            }
            list.add(acl);
        }
        return list;
    }

    private static Node node(final Leaves node) throws UnreadableException {
        return new Node(node.text("name"), node.leaf("vhost-user-directory").orElse(""),
            node.each("port", "name", port -> new Node.Port(port.text("name"),
                Node.Role.valueOf(word(port.text("role"))),
                Node.PortType.valueOf(word(port.text("type"))),
                port.leaf("devargs").orElse(""), queues(port))), node.leaf("address"), node.isSet("drop-reports"),
            node.isSet("ftp-helper"));
    }

    private static Node.Queues queues(final Leaves port) throws UnreadableException {
        final SortedMap<Integer, Integer> cores = new TreeMap<>();
        port.each("queue-core", "queue", queue -> cores.put(queue.count("queue"), queue.count("core")));
        return new Node.Queues(port.count("receive-queues"), cores);
    }

    private static Backbone backbone(final Element network) throws UnreadableException {
        final Leaves backbone = new Leaves("backbone", "", network.child("backbone"));
        return new Backbone(
            backbone.each("interface", "node", each -> new Backbone.Interface(each.text("node"), each.text("port"),
                each.number("vlan").orElse(0), each.prefix("prefix"), each.address("address"),
                each.leaf("egress-acl"), each.count("mtu"))),
            routes(backbone), network.child("resolver").leafList("upstream", true), Ipv6Reader.backbone(backbone));
    }

    private static Pool pool(final Leaves pool) throws UnreadableException {
        return new Pool(pool.text("name"), pool.prefixes("prefix"), pool.prefixes("drain"), pool.isSet("force"),
            thresholds(pool));
    }

    private static NetworkFunction function(final Leaves function) throws UnreadableException {
        final Optional<Start> start = function.child("start", each -> new Start(each.text("function"),
            each.number("core"), each.optional("scheduling", text -> Scheduling.valueOf(word(text)))));
        final List<Instance> instances = function.each("instance", "name", each -> instance(each, start));
        return new NetworkFunction(function.text("name"), function.text("node"),
            FailPolicy.valueOf(word(function.text("fail-policy"))), function.isSet("shared"),
            !instances.isEmpty(), instances.isEmpty()
                ? List.of(new Instance(function.text("name"), State.IN_SERVICE, 1, start)) : instances,
            mode(function), function.child("health-check", check -> new HealthCheck(check.count("interval"),
                check.count("lost"), check.count("hold"))), CanaryReader.read(function));
    }

    private static Chain chain(final Leaves chain) throws UnreadableException {
        return new Chain(chain.text("name"), chain.texts("function"),
            chain.child("branch", branch -> new Chain.Branch(branch.text("at"), branch.texts("function"))));
    }

    private static Mode mode(final Leaves function) throws UnreadableException {
        final Optional<Mode> router = function.child("routed", each -> new Routed(
            each.inside("inside", NetworkReader::link), each.inside("outside", NetworkReader::link)));
        final List<String> modes = new ArrayList<>();
        for (final String leaf : MODES) {
            if (function.isSet(leaf)) {
                modes.add(leaf);
            }
        }
        if (modes.size() > 1 || router.isPresent() && !modes.isEmpty()) {
            throw function.refusal(modes.get(modes.size() - 1),
                "a function is only one of routed, " + String.join(", ", MODES));
        }
        return router.orElseGet(() -> modes.contains(MIRROR) ? new Mirror() : modes.contains(NSH) ? new Nsh()
            : modes.contains(SECOND_OUTPUT) ? new TwoOutputs() : new Tagged());
    }

    private static Link link(final Leaves side) throws UnreadableException {
        return new Link(side.address("address"), side.address("gateway"), side.needed("mac", Mac::parse));
    }

    private static Instance instance(final Leaves instance, final Optional<Start> start) throws UnreadableException {
        if (start.isEmpty()) {
            for (final String leaf : List.of("function", "core")) {
                instance.refuse(leaf, "needs start of the function, without which instances are started by hand");
            }
        }
        final Optional<Integer> core = instance.number("core");
        return new Instance(instance.text("name"), State.valueOf(word(instance.text("state"))),
            instance.count("weight"), start.map(order -> order.with(instance.leaf("function"), core)));
    }

    private static Tenant tenant(final Element network, final NormalizedNode entry) throws UnreadableException {
        final Element element = network.entry(TENANT, entry);
        return tenant(new Leaves("tenant " + element.text("name"), "", element));
    }

    private static Tenant tenant(final Leaves tenant) throws UnreadableException {
        return new Tenant(tenant.text("name"),
            tenant.each("attachment", "name", each -> new Tenant.Attachment(each.text("name"), each.text("node"),
                each.text("port"), each.count("vlan"), each.isSet("trusted"))),
            tenant.each("subnet", "name", each -> new Tenant.Subnet(each.text("name"), each.prefix("prefix"),
                each.address("gateway"), each.sorted("attachment"), each.count("mtu"))),
            routes(tenant), NatReader.read(tenant), tenant.leaf("egress-acl"), tenant.leaf("chain"),
            ServicesReader.read(tenant), ProtectionReader.read(tenant), Ipv6Reader.side(tenant),
            tenant.each("chain-rule", "name", rule -> new ChainRule(rule.text("name"), rule.count("priority"),
                rule.text("acl"), Ways.valueOf(word(rule.text("direction"))), rule.leaf("chain"))));
    }

    static Optional<Thresholds> thresholds(final Leaves owner) throws UnreadableException {
        return owner.child("notify-pool-usage", told ->
            new Thresholds(told.count("high-threshold"), told.count("low-threshold")));
    }

    /** The name of an enumeration's constant. */
    private static String word(final String text) {
        return text.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    private static List<Route> routes(final Leaves owner) throws UnreadableException {
        return owner.each("route", "prefix", each -> new Route(each.prefix("prefix"), each.address("next-hop")));
    }
}
