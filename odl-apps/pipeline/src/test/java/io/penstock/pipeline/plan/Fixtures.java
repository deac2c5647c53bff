// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.AclMatch.Ends;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Services;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Range;
import io.penstock.pipeline.stage.NodeView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Networks to plan in tests. */
public final class Fixtures {
    private Fixtures() {
    }

    /** The node of every fixture: two access ports and an uplink. */
    public static Node edge() {
        return new Node("edge1", "/run/vhost", List.of(
            new Node.Port("acc0", Node.Role.ACCESS, Node.PortType.SYSTEM, ""),
            new Node.Port("acc1", Node.Role.ACCESS, Node.PortType.SYSTEM, ""),
            new Node.Port("up0", Node.Role.UPLINK, Node.PortType.SYSTEM, "")));
    }

    /** An uplink with a transit gateway. */
    public static Backbone backbone(final Optional<String> acl) {
        return new Backbone(
            List.of(new Backbone.Interface("edge1", "up0", 0, Prefix.parse("192.0.2.0/24"), Ipv4.parse("192.0.2.2"),
                acl)),
            List.of(new Route(Prefix.DEFAULT, Ipv4.parse("192.0.2.1"))));
    }

    /** A tenant with one attachment, 10.0.0.0/24 and an address from the pool. */
    public static Tenant tenant(final String name, final int vlan) {
        return new Tenant(name, List.of(new Tenant.Attachment("lan", "edge1", "acc0", vlan)),
            List.of(new Tenant.Subnet("lan", Prefix.parse("10.0.0.0/24"), Ipv4.parse("10.0.0.1"), List.of())),
            List.of(), fromPool(), Optional.empty(), Optional.empty());
    }

    /** NAT to an address of the pool. */
    public static Optional<Tenant.Nat> fromPool() {
        return Optional.of(new Tenant.Nat(Optional.empty(), Optional.of("public")));
    }

    /** An uplink that takes less than ordinary Ethernet, and a tenant with a subnet of jumbo frames. */
    public static Snapshot narrow() {
        return withUplinkMtu(1400, network(tenant("plain", 100), withJumbo()));
    }

    /** A network whose uplinks have this MTU. */
    public static Snapshot withUplinkMtu(final int mtu, final Snapshot around) {
        return new Snapshot(around.nodes(), new Backbone(around.backbone().interfaces().stream()
            .map(each -> each.withMtu(mtu)).toList(), around.backbone().routes(), around.backbone().resolvers())
            .with(around.backbone().ipv6()), around.pools(), around.functions(), around.chains(), around.tenants(),
            around.acls());
    }

    /** A network whose nodes report drops. */
    public static Snapshot reporting(final Snapshot around) {
        return withNodes(around, node -> new Node(node.name(), node.vhostDirectory(), node.ports(), node.address(),
            true, node.ftpHelper()));
    }

    /** A network whose nodes do without the FTP helper. */
    public static Snapshot withoutFtpHelper(final Snapshot around) {
        return withNodes(around, node -> new Node(node.name(), node.vhostDirectory(), node.ports(), node.address(),
            node.dropReports(), false));
    }

    private static Snapshot withNodes(final Snapshot around, final UnaryOperator<Node> change) {
        final SortedMap<String, Node> nodes = new TreeMap<>(around.nodes());
        nodes.replaceAll((name, node) -> change.apply(node));
        return new Snapshot(nodes, around.backbone(), around.pools(), around.functions(), around.chains(),
            around.tenants(), around.acls());
    }

    private static Tenant withJumbo() {
        final Tenant rich = rich();
        return new Tenant("jumbo", rich.attachments(),
            List.of(rich.subnets().get(0), rich.subnets().get(1).withMtu(9000)), rich.routes(), fromPool(),
            Optional.empty(), Optional.empty());
    }

    /** A tenant that has one of everything. */
    public static Tenant rich() {
        return new Tenant("rich",
            List.of(new Tenant.Attachment("a", "edge1", "acc0", 300), new Tenant.Attachment("b", "edge1", "acc1", 301),
                new Tenant.Attachment("c", "edge1", "acc1", 302)),
            List.of(
                new Tenant.Subnet("wide", Prefix.parse("10.1.0.0/16"), Ipv4.parse("10.1.0.1"), List.of("a", "b")),
                new Tenant.Subnet("lone", Prefix.parse("10.2.0.0/24"), Ipv4.parse("10.2.0.1"), List.of("c"))),
            List.of(new Route(Prefix.parse("172.16.0.0/12"), Ipv4.parse("10.2.0.9"))),
            Optional.of(new Tenant.Nat(Optional.of(Ipv4.parse("198.51.100.77")), Optional.empty())),
            Optional.of("web-only"), Optional.of("secure"));
    }

    /** A tenant with services and hosts that the world reaches. */
    public static Tenant published() {
        return tenant("shop", 400).with(new Tenant.Nat(Optional.empty(), Optional.of("public"),
                List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.10/32"), Prefix.parse("198.51.100.10/32")),
                    new Tenant.OneToOne(Prefix.parse("10.0.0.128/30"), Prefix.parse("198.51.100.128/30"))),
                List.of(), List.of(), List.of(new Tenant.PortForward("web", 6, 80, Ipv4.parse("10.0.0.20"), 8080),
                    new Tenant.PortForward("dns", 17, 53, Ipv4.parse("10.0.0.21"), 53)), Set.of(Alg.FTP)));
    }

    /** A tenant whose subscribers share two public addresses. */
    public static Tenant subscribers() {
        return tenant("town", 500).with(mapped(
            new Tenant.Deterministic(Prefix.parse("10.0.0.8/29"), Prefix.parse("198.51.100.2/31"))));
    }

    /** A tenant whose subscribers get up to three blocks of ports when they need them. */
    public static Tenant onDemand() {
        return tenant("city", 600).with(mapped(
            new Tenant.PortBlocks(Prefix.parse("10.0.0.0/25"), Prefix.parse("198.51.100.4/31"), 512, 3)));
    }

    /** The same with mappings that do not depend on the destination, and two subscribers of deterministic NAT too. */
    public static Tenant independent() {
        return onDemand().with(mapped(
            new Tenant.Deterministic(Prefix.parse("10.0.0.128/31"), Prefix.parse("198.51.100.2/32"), true),
            new Tenant.PortBlocks(Prefix.parse("10.0.0.0/25"), Prefix.parse("198.51.100.4/31"), 512, 3, false,
                List.of(), Optional.empty(), true)));
    }

    /** A tenant that sees two networks outside at other addresses, since it has the addresses of one itself. */
    public static Tenant twice() {
        return new Tenant("merger", List.of(new Tenant.Attachment("lan", "edge1", "acc0", 700)),
            List.of(new Tenant.Subnet("lan", Prefix.parse("192.168.1.0/24"), Ipv4.parse("192.168.1.1"), List.of())),
            List.of(), Optional.of(new Tenant.Nat(Optional.empty(), Optional.of("public"),
                List.of(new Tenant.OneToOne(Prefix.parse("192.168.1.10/32"), Prefix.parse("198.51.100.10/32"))),
                List.of(new Tenant.PortForward("web", 6, 80, Ipv4.parse("192.168.1.20"), 8080)))
                .with(List.of(new Tenant.Twice(Prefix.parse("10.99.1.0/24"), Prefix.parse("192.168.1.0/24")),
                    new Tenant.Twice(Prefix.parse("10.99.2.7/32"), Prefix.parse("172.16.0.7/32"))))),
            Optional.of("web-only"), Optional.empty());
    }

    /** The same behind a chain. */
    public static Tenant twiceChained() {
        final Tenant plain = twice();
        return new Tenant(plain.name(), plain.attachments(), plain.subnets(), plain.routes(), plain.nat(),
            Optional.empty(), Optional.of("secure"));
    }

    /** A tenant with services, lists in both directions, and answers that need no entry. */
    public static Tenant guarded() {
        return guarded(Optional.of("office-out"), Optional.of("office-in"), true);
    }

    /** The same tenant with other lists. */
    public static Tenant guarded(final Optional<String> out, final Optional<String> in, final boolean stateful) {
        final Tenant plain = tenant("office", 900);
        return new Tenant(plain.name(), plain.attachments(), plain.subnets(), plain.routes(),
            Optional.of(new Tenant.Nat(Optional.empty(), Optional.of("public"),
                List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.10/32"), Prefix.parse("198.51.100.10/32"))),
                List.of(new Tenant.PortForward("web", 6, 80, Ipv4.parse("10.0.0.20"), 8080),
                    new Tenant.PortForward("ssh", 6, 22, Ipv4.parse("10.0.0.20"), 22)))), out, Optional.empty())
            .with(new Protection(in, stateful, Quota.NONE));
    }

    /** A tenant behind a chain that has a list for what comes, and every answer needs its entry. */
    public static Tenant guardedChained() {
        final Tenant plain = guarded();
        return new Tenant(plain.name(), plain.attachments(), plain.subnets(), plain.routes(), plain.nat(),
            Optional.empty(), Optional.of("secure"))
            .with(new Protection(Optional.of("office-in"), false, Quota.NONE));
    }

    /** No limits where there is one by default. */
    public static final Quota UNLIMITED = new Quota(Optional.of(Quota.UNLIMITED), Optional.of(Quota.UNLIMITED),
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(Quota.UNLIMITED),
        Optional.empty());

    /** The published services of a tenant that may not use up more than its share. */
    public static Tenant limited() {
        return published().with(new Protection(Optional.empty(), false, new Quota(Optional.of(1000), Optional.of(50),
            Optional.of(2_000L), Optional.of(10_000L), Optional.of(10), Optional.empty(), Optional.empty(),
            Optional.of(16))));
    }

    /** A tenant with a DHCP server on two of three attachments, the third one trusted, and limits. */
    public static Tenant served() {
        return new Tenant("campus",
            List.of(new Tenant.Attachment("east", "edge1", "acc0", 800),
                new Tenant.Attachment("west", "edge1", "acc1", 800),
                new Tenant.Attachment("core", "edge1", "acc1", 801, true)),
            List.of(new Tenant.Subnet("desks", Prefix.parse("10.3.0.0/24"), Ipv4.parse("10.3.0.1"),
                    List.of("east", "west")),
                new Tenant.Subnet("core", Prefix.parse("10.4.0.0/24"), Ipv4.parse("10.4.0.1"), List.of("core"))),
            List.of(new Route(Prefix.parse("172.16.0.0/12"), Ipv4.parse("10.4.0.9"))), fromPool(), Optional.empty(),
            Optional.empty())
            .with(new Services(Optional.of(new Dhcp(200, List.of(dhcp("10.3.0.0/24", "10.3.0.100", "10.3.0.199")))),
                Optional.of(new Dns(Optional.of("campus.example"),
                    List.of(new Dns.Record("www", "A", 300, "10.4.0.80")),
                    List.of(new Dns.Upstream("10.4.0.53", true)),
                    Optional.of(500), Optional.empty()))))
            .with(new Protection(Optional.empty(), false, new Quota(Optional.empty(), Optional.empty(),
                Optional.of(50_000L), Optional.of(100_000L), Optional.of(20), Optional.empty(), Optional.empty(),
                Optional.empty())));
    }

    /** The same network on a node that has a resolver. */
    public static Snapshot serving(final Snapshot network) {
        final List<Node.Port> ports = new ArrayList<>(edge().ports());
        ports.add(new Node.Port("svc0", Node.Role.SERVICE, Node.PortType.SYSTEM, ""));
        return Snapshot.of(List.of(new Node("edge1", "/run/vhost", ports)), network.backbone(),
            List.copyOf(network.pools().values()), List.copyOf(network.functions().values()),
            List.copyOf(network.chains().values()), List.copyOf(network.tenants().values()),
            List.copyOf(network.acls().values()));
    }

    /** A pool without its .150 to .159, one reserved host in it, one beside it, and one attachment. */
    public static Dhcp.Subnet dhcp(final String prefix, final String first, final String last) {
        final Ipv4 base = Prefix.parse(prefix).address();
        return new Dhcp.Subnet(Prefix.parse(prefix), List.of(new Range(Ipv4.parse(first), Ipv4.parse(last))),
            List.of(new Range(base.plus(150), base.plus(159))),
            List.of(reservation(base.plus(110), Optional.of(new Mac(0x020000000010L)), Optional.empty()),
                reservation(base.plus(20), Optional.of(new Mac(0x020000000020L)), Optional.empty()),
                reservation(base.plus(30), Optional.empty(), Optional.of("west"))), 3600, Dhcp.Options.NONE);
    }

    private static Dhcp.Reservation reservation(final Ipv4 address, final Optional<Mac> mac,
            final Optional<String> attachment) {
        return new Dhcp.Reservation(address, mac, attachment, Optional.empty(), Optional.empty());
    }

    /** Of {@link #served}, one host has a lease, another one had. */
    private static List<Lease> leases() {
        final Lease lease = new Lease(Ipv4.parse("10.3.0.101"), Lease.State.BOUND, "01020000000001",
            new Mac(0x020000000001L), "east", "desk1", 1_800_000_000L);
        return List.of(lease, new Lease(Ipv4.parse("10.3.0.102"), Lease.State.FREE, "01020000000002",
            new Mac(0x020000000002L), "east", "", 1_700_000_000L));
    }

    /** Of {@link #onDemand}, .5 has two blocks, .6 has one; the others have none. {@link #served} has leases. */
    private static Allocations given(final Allocations allocations) {
        final Map<String, TenantAllocation> tenants = new HashMap<>(allocations.tenants());
        tenants.computeIfPresent("city", (name, given) -> given.withBlocks(List.of(
            new Block(Ipv4.parse("10.0.0.5"), Ipv4.parse("198.51.100.4"), 1024, 512),
            new Block(Ipv4.parse("10.0.0.6"), Ipv4.parse("198.51.100.5"), 1024, 512),
            new Block(Ipv4.parse("10.0.0.5"), Ipv4.parse("198.51.100.4"), 1536, 512))));
        tenants.computeIfPresent("campus", (name, given) -> given.withLeases(leases()));
        return allocations.withTenants(tenants);
    }

    /** Hosts that are translated by these alone. */
    public static Tenant.Nat mapped(final Tenant.Mapping... mappings) {
        return new Tenant.Nat(Optional.empty(), Optional.empty(), of(Tenant.OneToOne.class, mappings),
            of(Tenant.Deterministic.class, mappings), of(Tenant.PortBlocks.class, mappings), List.of(), Set.of());
    }

    private static <T> List<T> of(final Class<T> kind, final Tenant.Mapping... mappings) {
        return Stream.of(mappings).filter(kind::isInstance).map(kind::cast).toList();
    }

    /** A network with these tenants. */
    public static Snapshot network(final Tenant... tenants) {
        return Snapshot.of(List.of(edge()), backbone(Optional.of("keep-out")),
            List.of(new Pool("public", List.of(Prefix.parse("203.0.113.0/24")))),
            List.of(new NetworkFunction("fw", "edge1", FailPolicy.CLOSED, true),
                new NetworkFunction("tap", "edge1", FailPolicy.OPEN, true)),
            List.of(new Chain("secure", List.of("fw", "tap"))), List.of(tenants),
            List.of(keepOut(), webOnly(), officeOut(), officeIn()));
    }

    /** Two plain tenants, and a backbone on VLAN 500 of the uplink without a list. */
    public static Snapshot taggedUplink() {
        final Snapshot plain = network(tenants(2));
        final Backbone.Interface uplink = plain.backbone().interfaces().get(0);
        return new Snapshot(plain.nodes(), new Backbone(List.of(new Backbone.Interface(uplink.node(), uplink.port(),
            500, uplink.prefix(), uplink.address(), Optional.empty())), plain.backbone().routes()), plain.pools(),
            plain.functions(), plain.chains(), plain.tenants(), plain.acls());
    }

    private static Acl keepOut() {
        return new Acl("keep-out", List.of(
            entry("no-private", false, "10.0.0.0/8", null, null, null),
            entry("rest", true, null, null, null, null)));
    }

    private static Acl webOnly() {
        return new Acl("web-only", List.of(
            entry("web", true, null, 6, new PortRange(80, 90), null),
            entry("dns", true, "192.0.2.53/32", 17, new PortRange(53, 53), null),
            entry("ping", true, null, 1, null, 8)));
    }

    private static Acl officeOut() {
        return new Acl("office-out", List.of(
            entry("no-mail", false, null, 6, new PortRange(25, 25), null),
            entry("web", true, null, 6, new PortRange(80, 443), null),
            entry("dns", true, "192.0.2.53/32", 17, new PortRange(53, 53), null),
            new Acl.Entry("high", true, Matches.ipv4(
                new Ends<>(Optional.of(Prefix.parse("10.0.0.0/25")), Optional.empty()), Optional.of(17),
                new Ends<>(Optional.of(new PortRange(1025, 65534)), Optional.of(new PortRange(1000, 4999))),
                Optional.empty()), List.of()),
            entry("ping", true, null, 1, null, 8)));
    }

    private static Acl officeIn() {
        return new Acl("office-in", List.of(
            entry("web", true, "10.0.0.20/32", 6, new PortRange(8080, 8080), null),
            entry("ping", true, "10.0.0.10/32", 1, null, 8)));
    }

    static Acl.Entry entry(final String name, final boolean permit, final String destination,
            final Integer protocol, final PortRange ports, final Integer icmpType) {
        return new Acl.Entry(name, permit, Matches.ipv4(
            new Ends<>(Optional.empty(), Optional.ofNullable(destination).map(Prefix::parse)),
            Optional.ofNullable(protocol), new Ends<>(Optional.empty(), Optional.ofNullable(ports)),
            Optional.ofNullable(icmpType)), List.of());
    }

    /** {@code count} tenants like {@link #tenant}. */
    public static Tenant[] tenants(final int count) {
        final List<Tenant> tenants = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            tenants.add(tenant("t%03d".formatted(index), 100 + index));
        }
        return tenants.toArray(Tenant[]::new);
    }

    /** The plan of the node, everything up. */
    public static NodePlan plan(final Snapshot snapshot) {
        return plan(snapshot, Set.of());
    }

    /** The plan of the node with some functions down. */
    public static NodePlan plan(final Snapshot snapshot, final Set<String> down) {
        final NodeView view = view(snapshot, down);
        return Planner.plan(snapshot, view.allocations(), down, view.node().name());
    }

    /** What that plan is made from. */
    public static NodeView view(final Snapshot snapshot, final Set<String> down) {
        return new NodeView(snapshot, given(Allocator.allocate(snapshot, Allocations.none())), down, Set.of(),
            snapshot.nodes().get("edge1"));
    }
}
