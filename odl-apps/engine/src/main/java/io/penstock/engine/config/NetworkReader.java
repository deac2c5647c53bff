// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.config;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.IpProtocol;
import io.penstock.pipeline.flow.Ipv4;
import io.penstock.pipeline.flow.Mac;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.ChainRule;
import io.penstock.pipeline.intent.ChainRule.Ways;
import io.penstock.pipeline.intent.Memo;
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
import io.penstock.pipeline.intent.Prefix;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Thresholds;
import io.penstock.pipeline.intent.Violation;
import io.penstock.pipeline.registry.Constants;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;

/**
 * The datastore's words as a snapshot of intent; only translates. What the datastore has not changed is still the same
 * object there, and is translated to the same object here. Safe for all threads.
 */
final class NetworkReader {
    /** Lists of nat whose entries have public addresses of their own. */
    private static final List<String> MAPPINGS = List.of(Tenant.OneToOne.KIND, Tenant.Deterministic.KIND,
        Tenant.PortBlocks.KIND);
    private static final String MIRROR = "mirror";
    private static final String NSH = "nsh";
    private static final String SECOND_OUTPUT = "second-output";
    private static final List<String> MODES = List.of(MIRROR, NSH, SECOND_OUTPUT);

    private final Memo<NormalizedNode, Tenant> tenants = new Memo<>();
    private final Memo<NormalizedNode, Acl> acls = new Memo<>();
    private @Nullable NormalizedNode lastNetwork;
    private @Nullable NormalizedNode lastAcls;
    private Snapshot last = Snapshot.empty();

    /**
     * Reads the whole configuration. Gives the same object as the last time when nothing was changed since.
     *
     * @param networkNode container network of module penstock
     * @param aclsNode container acls of RFC 8519
     */
    synchronized Snapshot read(final Optional<NormalizedNode> networkNode, final Optional<NormalizedNode> aclsNode)
            throws UnreadableException {
        if (networkNode.orElse(null) != lastNetwork || aclsNode.orElse(null) != lastAcls) {
            last = read(Element.of(networkNode), Element.of(aclsNode));
            lastNetwork = networkNode.orElse(null);
            lastAcls = aclsNode.orElse(null);
        }
        return last;
    }

    private Snapshot read(final Element network, final Element aclsRoot) throws UnreadableException {
        for (final Element pool : network.list("pool", "name")) {
            checkThresholds("pool " + pool.text("name"), "", pool);
        }
        return Snapshot.of(
            network.list("node", "name").stream().map(NetworkReader::node).toList(),
            backbone(network.child("backbone"), network.child("resolver").leafList("upstream", true)),
            network.list("pool", "name").stream().map(pool -> new Pool(pool.text("name"), prefixes(pool, "prefix"),
                prefixes(pool, "drain"), isSet(pool, "force"), thresholds(pool))).toList(),
            functions(network),
            network.list("chain", "name").stream().map(NetworkReader::chain).toList(),
            tenants(network), acls(aclsRoot));
    }

    private List<Tenant> tenants(final Element network) throws UnreadableException {
        tenants.begin();
        final List<Tenant> list = new ArrayList<>();
        for (final NormalizedNode entry : network.entries("tenant")) {
            Tenant tenant = tenants.recall(entry);
            if (tenant == null) {
                final Element element = Element.of(Optional.of(entry));
                checkReadable(element);
                tenant = tenant(element);
                tenants.remember(entry, tenant);
            }
            list.add(tenant);
        }
        return list;
    }

    private List<Acl> acls(final Element root) {
        acls.begin();
        return root.entries("acl").stream()
            .map(entry -> acls.of(entry, each -> AclReader.read(Element.of(Optional.of(each))))).toList();
    }

    private static void checkReadable(final Element tenant) throws UnreadableException {
        final Element nat = tenant.child("nat");
        final String name = "tenant " + tenant.text("name");
        if (nat.isPresent() && nat.leaf("public-address").isEmpty() && nat.leaf("pool").isEmpty()
                && MAPPINGS.stream().allMatch(kind -> nat.entries(kind).isEmpty())) {
            throw new UnreadableException(new Violation(name, "nat",
                "needs a public-address, a pool, one-to-one, deterministic or port-block"));
        }
        for (final String kind : MAPPINGS) {
            for (final Element entry : nat.list(kind, "inside-prefix")) {
                checkLeaves(name, "nat / " + kind + " " + entry.text("inside-prefix"), entry, "public-prefix");
            }
        }
        for (final Element entry : nat.list(Tenant.PortBlocks.KIND, "inside-prefix")) {
            checkThresholds(name, "nat / port-block " + entry.text("inside-prefix") + " / ", entry);
        }
        for (final Element entry : nat.list("port-forward", "name")) {
            checkLeaves(name, "nat / port-forward " + entry.text("name"), entry, "protocol", "public-port",
                "inside-address");
        }
        for (final Element entry : nat.list("twice", "seen-prefix")) {
            final String twice = "nat / twice " + entry.text("seen-prefix");
            checkLeaves(name, twice, entry, "outside-prefix");
            checkPrefixes(name, twice, entry, "seen-prefix", "outside-prefix");
        }
    }

    private static void checkThresholds(final String owner, final String entry, final Element element)
            throws UnreadableException {
        final Element told = element.child("notify-pool-usage");
        if (told.isPresent()) {
            checkLeaves(owner, entry + "notify-pool-usage", told, "high-threshold", "low-threshold");
        }
    }

    /** The datastore could check that too, but would not say whose leaf it is. */
    private static void checkLeaves(final String owner, final String entry, final Element element,
            final String... leaves) throws UnreadableException {
        for (final String leaf : leaves) {
            if (element.leaf(leaf).isEmpty()) {
                throw new UnreadableException(new Violation(owner, entry + " / " + leaf, "is missing"));
            }
        }
    }

    private static void checkPrefixes(final String owner, final String entry, final Element element,
            final String... leaves) throws UnreadableException {
        for (final String leaf : leaves) {
            try {
                Prefix.parse(element.text(leaf));
            } catch (IllegalArgumentException e) {
                throw new UnreadableException(new Violation(owner, entry + " / " + leaf,
                    String.valueOf(e.getMessage())), e);
            }
        }
    }

    private static Node node(final Element node) {
        return new Node(node.text("name"), node.leaf("vhost-user-directory").orElse(""),
            node.list("port", "name").stream().map(port -> new Node.Port(port.text("name"),
                Node.Role.valueOf(port.text("role").toUpperCase(Locale.ROOT)),
                port.leaf("type").orElse("system").equals("dpdk") ? Node.PortType.DPDK : Node.PortType.SYSTEM,
                port.leaf("devargs").orElse(""), queues(port))).toList(), node.leaf("address"));
    }

    private static Node.Queues queues(final Element port) {
        final SortedMap<Integer, Integer> cores = new TreeMap<>();
        port.list("queue-core", "queue").forEach(queue ->
            cores.put(Integer.valueOf(queue.text("queue")), Integer.valueOf(queue.text("core"))));
        return new Node.Queues(number(port, "receive-queues", 1), cores);
    }

    private static Backbone backbone(final Element backbone, final List<String> resolvers)
            throws UnreadableException {
        return new Backbone(
            backbone.list("interface", "node").stream().map(each -> new Backbone.Interface(each.text("node"),
                each.text("port"), each.leaf("vlan").map(Integer::valueOf).orElse(0),
                Prefix.parse(each.text("prefix")), Ipv4.parse(each.text("address")), each.leaf("egress-acl"),
                mtu(each)))
                .toList(),
            routes(backbone), resolvers, Ipv6Reader.backbone(new Leaves("backbone", "", backbone)));
    }

    private static List<NetworkFunction> functions(final Element network) throws UnreadableException {
        final List<NetworkFunction> functions = new ArrayList<>();
        for (final Element function : network.list("function", "name")) {
            functions.add(function(function));
        }
        return functions;
    }

    private static NetworkFunction function(final Element function) throws UnreadableException {
        final Leaves leaves = new Leaves("function " + function.text("name"), "", function);
        final Optional<Start> start = leaves.child("start", each -> new Start(each.text("function"),
            each.number("core"), each.optional("scheduling", NetworkReader::scheduling)));
        final List<Instance> instances = leaves.each("instance", "name", each -> instance(each, start));
        return new NetworkFunction(function.text("name"), function.text("node"),
            function.leaf("fail-policy").orElse("closed").equals("open") ? FailPolicy.OPEN : FailPolicy.CLOSED,
            Boolean.parseBoolean(function.leaf("shared").orElse("true")), !instances.isEmpty(), instances.isEmpty()
                ? List.of(new Instance(function.text("name"), State.IN_SERVICE, 1, start)) : instances,
            mode(leaves),
            Optional.of(function.child("health-check")).filter(Element::isPresent).map(check -> new HealthCheck(
                number(check, "interval", 200), number(check, "lost", 3), number(check, "hold", 5))),
            CanaryReader.read(leaves));
    }

    private static Chain chain(final Element chain) {
        return new Chain(chain.text("name"), chain.leafList("function", true),
            Optional.of(chain.child("branch")).filter(Element::isPresent).map(branch ->
                new Chain.Branch(branch.text("at"), branch.leafList("function", false))));
    }

    private static Mode mode(final Leaves function) throws UnreadableException {
        final Optional<Mode> router = function.child("routed", each -> new Routed(
            link(each, "inside", Routed.DEFAULT.inside()), link(each, "outside", Routed.DEFAULT.outside())));
        final List<String> modes = MODES.stream().filter(leaf -> function.isSet(leaf)).toList();
        if (modes.size() > 1 || router.isPresent() && !modes.isEmpty()) {
            function.refuse(modes.get(modes.size() - 1),
                "a function is only one of routed, " + String.join(", ", MODES));
        }
        return router.orElseGet(() -> modes.contains(MIRROR) ? new Mirror() : modes.contains(NSH) ? new Nsh()
            : modes.contains(SECOND_OUTPUT) ? new TwoOutputs() : new Tagged());
    }

    private static Link link(final Leaves router, final String side, final Link otherwise)
            throws UnreadableException {
        return router.child(side, link -> new Link(link.optional("address", Ipv4::parse).orElse(otherwise.address()),
            link.optional("gateway", Ipv4::parse).orElse(otherwise.gateway()),
            link.optional("mac", Mac::parse).orElse(otherwise.mac()))).orElse(otherwise);
    }

    private static int number(final Element element, final String leaf, final int otherwise) {
        return element.leaf(leaf).map(Integer::valueOf).orElse(otherwise);
    }

    private static Scheduling scheduling(final String text) {
        return Scheduling.valueOf(text.toUpperCase(Locale.ROOT));
    }

    private static Instance instance(final Leaves instance, final Optional<Start> start) throws UnreadableException {
        if (start.isEmpty()) {
            for (final String leaf : List.of("function", "core")) {
                instance.refuse(leaf, "needs start of the function, without which instances are started by hand");
            }
        }
        final State state = switch (instance.leaf("state").orElse("in-service")) {
            case "draining" -> State.DRAINING;
            case "out-of-service" -> State.OUT_OF_SERVICE;
            default -> State.IN_SERVICE;
        };
        final Optional<Integer> core = instance.number("core");
        return new Instance(instance.text("name"), state, instance.number("weight").orElse(1),
            start.map(order -> order.with(instance.leaf("function"), core)));
    }

    private static Tenant tenant(final Element tenant) throws UnreadableException {
        final Element nat = tenant.child("nat");
        final Leaves leaves = new Leaves("tenant " + tenant.text("name"), "", tenant);
        return new Tenant(tenant.text("name"),
            tenant.list("attachment", "name").stream().map(each -> new Tenant.Attachment(each.text("name"),
                each.text("node"), each.text("port"), Integer.parseInt(each.text("vlan")), isSet(each, "trusted")))
                .toList(),
            tenant.list("subnet", "name").stream().map(each -> new Tenant.Subnet(each.text("name"),
                Prefix.parse(each.text("prefix")), Ipv4.parse(each.text("gateway")),
                each.leafList("attachment", false), mtu(each))).toList(),
            routes(tenant),
            nat.isPresent() ? Optional.of(nat(nat)) : Optional.empty(),
            tenant.leaf("egress-acl"), tenant.leaf("chain"), ServicesReader.read(leaves),
            ProtectionReader.read(leaves), Ipv6Reader.side(leaves),
            tenant.list("chain-rule", "name").stream().map(NetworkReader::chainRule).toList());
    }

    private static ChainRule chainRule(final Element rule) {
        final Ways ways = switch (rule.leaf("direction").orElse("both")) {
            case "to-backbone" -> Ways.TO_BACKBONE;
            case "to-tenant" -> Ways.TO_TENANT;
            default -> Ways.BOTH;
        };
        return new ChainRule(rule.text("name"), Integer.parseInt(rule.text("priority")), rule.text("acl"), ways,
            rule.leaf("chain"));
    }

    private static Tenant.Nat nat(final Element nat) {
        return new Tenant.Nat(nat.leaf("public-address").map(Ipv4::parse), nat.leaf("pool"),
            mappings(nat, Tenant.OneToOne.KIND, Tenant.OneToOne::new),
            nat.list(Tenant.Deterministic.KIND, "inside-prefix").stream().map(each -> new Tenant.Deterministic(
                Prefix.parse(each.text("inside-prefix")), Prefix.parse(each.text("public-prefix")),
                isSet(each, "endpoint-independent"))).toList(),
            nat.list(Tenant.PortBlocks.KIND, "inside-prefix").stream().map(each -> new Tenant.PortBlocks(
                Prefix.parse(each.text("inside-prefix")), Prefix.parse(each.text("public-prefix")),
                each.leaf("block-size").map(Integer::valueOf).orElse(Constants.BLOCK_SIZE),
                each.leaf("most-blocks").map(Integer::valueOf).orElse(Constants.MOST_BLOCKS),
                isSet(each, "force"), prefixes(each, "drain"), thresholds(each),
                isSet(each, "endpoint-independent"))).toList(),
            nat.list("port-forward", "name").stream().map(NetworkReader::portForward).toList(),
            nat.leafList("alg", false).stream().map(alg -> Action.Alg.valueOf(alg.toUpperCase(Locale.ROOT)))
                .collect(Collectors.toSet()),
            nat.list("twice", "seen-prefix").stream().map(each -> new Tenant.Twice(
                Prefix.parse(each.text("seen-prefix")), Prefix.parse(each.text("outside-prefix")))).toList());
    }

    private static List<Prefix> prefixes(final Element owner, final String name) {
        return owner.leafList(name, false).stream().map(Prefix::parse).toList();
    }

    private static int mtu(final Element network) {
        return network.leaf("mtu").map(Integer::valueOf).orElse(Constants.DEFAULT_MTU);
    }

    private static boolean isSet(final Element owner, final String name) {
        return owner.leaf(name).map(Boolean::valueOf).orElse(false);
    }

    private static Optional<Thresholds> thresholds(final Element owner) {
        final Element told = owner.child("notify-pool-usage");
        return told.isPresent() ? Optional.of(new Thresholds(Integer.parseInt(told.text("high-threshold")),
            Integer.parseInt(told.text("low-threshold")))) : Optional.empty();
    }

    private static <T> List<T> mappings(final Element nat, final String kind,
            final BiFunction<Prefix, Prefix, T> mapping) {
        return nat.list(kind, "inside-prefix").stream().map(each -> mapping.apply(
            Prefix.parse(each.text("inside-prefix")), Prefix.parse(each.text("public-prefix")))).toList();
    }

    private static Tenant.PortForward portForward(final Element forward) {
        final int publicPort = Integer.parseInt(forward.text("public-port"));
        return new Tenant.PortForward(forward.text("name"), IpProtocol.number(forward.text("protocol")),
            publicPort, Ipv4.parse(forward.text("inside-address")),
            forward.leaf("inside-port").map(Integer::valueOf).orElse(publicPort));
    }

    private static List<Route> routes(final Element owner) {
        return owner.list("route", "prefix").stream()
            .map(each -> new Route(Prefix.parse(each.text("prefix")), Ipv4.parse(each.text("next-hop")))).toList();
    }
}
