// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.config;

import io.penstock.pipeline.flow.Ipv4;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.Memo;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Prefix;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;

/**
 * The datastore's words as a snapshot of intent; only translates. What the datastore has not changed is still the same
 * object there, and is translated to the same object here. Safe for all threads.
 */
final class NetworkReader {
    private final Memo<NormalizedNode, Tenant> tenants = new Memo<>();
    private final Memo<NormalizedNode, Acl> acls = new Memo<>();
    private NormalizedNode lastNetwork;
    private NormalizedNode lastAcls;
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
        return Snapshot.of(
            network.list("node", "name").stream().map(NetworkReader::node).toList(),
            backbone(network.child("backbone")),
            network.list("pool", "name").stream().map(pool -> new Pool(pool.text("name"),
                pool.leafList("prefix", false).stream().map(Prefix::parse).toList())).toList(),
            network.list("function", "name").stream().map(NetworkReader::function).toList(),
            network.list("chain", "name").stream()
                .map(chain -> new Chain(chain.text("name"), chain.leafList("function", true))).toList(),
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
        if (nat.isPresent() && nat.leaf("public-address").isEmpty() && nat.leaf("pool").isEmpty()) {
            throw new UnreadableException(new Violation("tenant " + tenant.text("name"), "nat",
                "needs a public-address or a pool"));
        }
    }

    private static Node node(final Element node) {
        return new Node(node.text("name"), node.leaf("vhost-user-directory").orElse(""),
            node.list("port", "name").stream().map(port -> new Node.Port(port.text("name"),
                port.text("role").equals("uplink") ? Node.Role.UPLINK : Node.Role.ACCESS,
                port.leaf("type").orElse("system").equals("dpdk") ? Node.PortType.DPDK : Node.PortType.SYSTEM,
                port.leaf("devargs").orElse(""))).toList());
    }

    private static Backbone backbone(final Element backbone) {
        return new Backbone(
            backbone.list("interface", "node").stream().map(each -> new Backbone.Interface(each.text("node"),
                each.text("port"), each.leaf("vlan").map(Integer::valueOf).orElse(0),
                Prefix.parse(each.text("prefix")), Ipv4.parse(each.text("address")), each.leaf("egress-acl")))
                .toList(),
            routes(backbone));
    }

    private static NetworkFunction function(final Element function) {
        return new NetworkFunction(function.text("name"), function.text("node"),
            function.leaf("fail-policy").orElse("closed").equals("open") ? FailPolicy.OPEN : FailPolicy.CLOSED,
            Boolean.parseBoolean(function.leaf("shared").orElse("true")));
    }

    private static Tenant tenant(final Element tenant) {
        final Element nat = tenant.child("nat");
        return new Tenant(tenant.text("name"),
            tenant.list("attachment", "name").stream().map(each -> new Tenant.Attachment(each.text("name"),
                each.text("node"), each.text("port"), Integer.parseInt(each.text("vlan")))).toList(),
            tenant.list("subnet", "name").stream().map(each -> new Tenant.Subnet(each.text("name"),
                Prefix.parse(each.text("prefix")), Ipv4.parse(each.text("gateway")),
                each.leafList("attachment", false))).toList(),
            routes(tenant),
            nat.isPresent()
                ? Optional.of(new Tenant.Nat(nat.leaf("public-address").map(Ipv4::parse), nat.leaf("pool")))
                : Optional.empty(),
            tenant.leaf("egress-acl"), tenant.leaf("chain"));
    }

    private static List<Route> routes(final Element owner) {
        return owner.list("route", "prefix").stream()
            .map(each -> new Route(Prefix.parse(each.text("prefix")), Ipv4.parse(each.text("next-hop")))).toList();
    }
}
