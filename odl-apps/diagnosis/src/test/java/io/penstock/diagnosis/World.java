// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import static java.util.Objects.requireNonNull;

import io.penstock.diagnosis.Facts.Drops;
import io.penstock.diagnosis.Facts.Limited;
import io.penstock.diagnosis.Facts.NodeFacts;
import io.penstock.diagnosis.Facts.PortFacts;
import io.penstock.diagnosis.Facts.Service;
import io.penstock.operations.LearnedHost;
import io.penstock.operations.WhyQuestion;
import io.penstock.operations.WhyReport;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.AccessPlace;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.AclMatch;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Dns;
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
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Range;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/** A network in which everything works, and what can go wrong in it. */
final class World {
    static final String HOST = "10.0.0.5";
    static final String SERVER = "198.51.100.10";
    static final String MAC = "02:00:00:00:00:05";

    private static final String NODE = "edge1";
    private static final Ipv4 GATEWAY = Ipv4.parse("192.0.2.1");

    private final Map<String, PortFacts> ports = new HashMap<>(Map.of("acc0", up(1500), "acc1", up(1500),
        "up0", up(1500), "fw-in", up(1500), "fw-out", up(1500)));
    private final List<LearnedHost> hosts = new ArrayList<>(List.of(
        new LearnedHost(NODE, "lan", MAC, List.of(HOST), 35)));
    private final List<Tenant.Attachment> attachments = new ArrayList<>(List.of(
        new Tenant.Attachment("lan", NODE, "acc0", 100), new Tenant.Attachment("lab", NODE, "acc1", 101)));
    private final List<Lease> leases = new ArrayList<>();
    private final List<Block> blocks = new ArrayList<>();
    private final Map<String, String> down = new HashMap<>();
    private final List<Drops> drops = new ArrayList<>();
    private final List<Limited> limits = new ArrayList<>();
    private final Map<String, Long> dhcpMessages = new HashMap<>();
    private final List<Route> routes = new ArrayList<>();
    private final List<Acl> acls = new ArrayList<>();
    private Set<String> gateways = Set.of(GATEWAY.toString());
    private Set<AccessPlace> flooding = Set.of();
    private Service service = Service.SERVING;
    private String reason = "";
    private Optional<String> failed = Optional.empty();
    private Optional<Tenant.Nat> nat = Optional.of(new Tenant.Nat(Optional.empty(), Optional.of("public")));
    private Optional<String> egress = Optional.empty();
    private Optional<String> uplinkList = Optional.empty();
    private Optional<String> chain = Optional.empty();
    private FailPolicy policy = FailPolicy.CLOSED;
    private Protection protection = Protection.NONE;
    private Services services = Services.NONE;
    private String resolver = "";
    private Optional<Facts.Traced> trace = Optional.empty();
    private List<String> silentUpstreams = List.of();
    private int mtu = 1500;
    private int uplinkMtu = 1500;
    private boolean hasUplink = true;
    private boolean hasAddress = true;
    private List<Route> backboneRoutes = List.of(new Route(Prefix.DEFAULT, GATEWAY));
    private OptionalLong sessions = OptionalLong.empty();

    private static PortFacts up(final int mtu) {
        return new PortFacts(true, "", OptionalInt.of(mtu));
    }

    WhyReport why(final String... words) {
        return Diagnosis.of(facts(), new WhyQuestion("acme", word(words, 0).filter(host -> !host.equals("-")),
            word(words, 1), Optional.empty(), number(words), /* inbound= */ false));
    }

    /** The same for a connection from outside. */
    WhyReport whyInbound(final String... words) {
        return Diagnosis.of(facts(), new WhyQuestion("acme", word(words, 0), word(words, 1), Optional.empty(),
            number(words), /* inbound= */ true));
    }

    private static OptionalInt number(final String[] words) {
        return word(words, 2).map(port -> OptionalInt.of(Integer.parseInt(port))).orElse(OptionalInt.empty());
    }

    private static Optional<String> word(final String[] words, final int index) {
        return index < words.length ? Optional.of(words[index]) : Optional.empty();
    }

    Facts facts() {
        final Tenant tenant = new Tenant("acme", attachments, List.of(
            new Tenant.Subnet("lan", Prefix.parse("10.0.0.0/24"), Ipv4.parse("10.0.0.1"), List.of("lan"), mtu),
            new Tenant.Subnet("lab", Prefix.parse("10.0.1.0/24"), Ipv4.parse("10.0.1.1"), List.of("lab"))),
            routes, nat, egress, chain).with(services).with(protection);
        final Snapshot snapshot = Snapshot.of(List.of(new Node(NODE, "/run/vhost", List.of(
            port("acc0", Node.Role.ACCESS), port("acc1", Node.Role.ACCESS), port("up0", Node.Role.UPLINK)))),
            new Backbone(hasUplink ? List.of(new Backbone.Interface(NODE, "up0", 0, Prefix.parse("192.0.2.0/24"),
                Ipv4.parse("192.0.2.2"), uplinkList, uplinkMtu)) : List.of(), backboneRoutes),
            List.of(new Pool("public", List.of(Prefix.parse("203.0.113.0/29")))),
            List.of(new NetworkFunction("fw", NODE, policy, false)), List.of(new Chain("inspected", List.of("fw"))),
            List.of(tenant), acls);
        final Allocations allocations = Allocator.allocate(snapshot, Allocations.none());
        final TenantAllocation given = requireNonNull(allocations.tenants().get("acme"));
        return new Facts(snapshot, allocations.withTenants(Map.of("acme", new TenantAllocation(given.id(),
            hasAddress ? given.publicAddress() : Optional.empty(), blocks, leases, given.places(), given.vrfs()))),
            tenant, failed, service == Service.AWAY ? Map.of() : Map.of(NODE, new NodeFacts(service, reason, ports,
                down, hosts, gateways, drops, limits, sessions, OptionalLong.of(1000), resolver, silentUpstreams,
                flooding)), dhcpMessages, trace);
    }

    private static Node.Port port(final String name, final Node.Role role) {
        return new Node.Port(name, role, Node.PortType.SYSTEM, "");
    }

    void rejected(final String why) {
        failed = Optional.of(why);
    }

    void detached() {
        attachments.clear();
    }

    void serves(final Service as, final String because) {
        service = as;
        reason = because;
    }

    void portGone(final String name) {
        ports.remove(name);
    }

    void portFailed(final String name, final String error) {
        ports.put(name, new PortFacts(false, error, OptionalInt.empty()));
    }

    void portDown(final String name) {
        ports.put(name, new PortFacts(false, "", OptionalInt.of(1500)));
    }

    void floods() {
        flooding = Set.of(new AccessPlace("acc0", 100));
    }

    void dropped(final String table, final String label, final long recent) {
        drops.add(new Drops(table, label, 1000 + recent, recent, Optional.empty()));
    }

    void limited(final String meter, final long rate, final String unit, final long recent) {
        limits.add(new Limited(meter, rate, unit, 1000 + recent, recent));
    }

    void silent() {
        hosts.clear();
    }

    void seen(final String mac, final String attachment, final String... addresses) {
        hosts.add(new LearnedHost(NODE, attachment, mac, List.of(addresses), 3));
    }

    /** A pool of two addresses, 10.0.0.100 and 10.0.0.101. */
    void servesDhcp(final Dhcp.Reservation... reservations) {
        services = new Services(Optional.of(new Dhcp(0, List.of(new Dhcp.Subnet(Prefix.parse("10.0.0.0/24"), List.of(
            new Range(Ipv4.parse("10.0.0.100"), Ipv4.parse("10.0.0.101"))), List.of(), List.of(reservations), 3600,
            Dhcp.Options.NONE)))), Optional.empty());
    }

    void leased(final String address, final Lease.State state, final String mac, final String attachment) {
        leases.add(new Lease(Ipv4.parse(address), state, "01" + mac.replace(":", ""), Mac.parse(mac), attachment,
            "printer", 1_900_000_000));
    }

    void unanswered(final String message) {
        dhcpMessages.put(message, 3L);
    }

    void resolves(final String state) {
        services = new Services(services.dhcp(), Optional.of(new Dns(Optional.empty(), List.of(), List.of(),
            Optional.empty(), Optional.empty())));
        resolver = state;
    }

    /** A resolver that works, with upstreams outside, some of which do not answer. */
    void asks(final List<String> upstreams, final List<String> silent) {
        services = new Services(services.dhcp(), Optional.of(new Dns(Optional.empty(), List.of(),
            upstreams.stream().map(each -> new Dns.Upstream(each, false)).toList(), Optional.empty(),
            Optional.empty())));
        resolver = "ok";
        silentUpstreams = silent;
    }

    void traced(final boolean forwarded, final String where) {
        trace = Optional.of(new Facts.Traced(forwarded, where));
    }

    void quota(final Quota quota) {
        protection = new Protection(protection.ingressAcl(), protection.stateful(), quota);
    }

    void tracks(final long connections) {
        sessions = OptionalLong.of(connections);
    }

    void route(final String prefix, final String hop) {
        routes.add(new Route(Prefix.parse(prefix), Ipv4.parse(hop)));
    }

    /** Lists with entries that permit TCP to a port, by their names. */
    void permits(final String list, final int port) {
        acls.add(new Acl(list, List.of(new Acl.Entry("web", true, tcp(port), List.of()))));
    }

    /** A list that denies TCP to a port, and permits the rest. */
    void denies(final String list, final int port) {
        acls.add(new Acl(list, List.of(new Acl.Entry("no-mail", false, tcp(port), List.of()),
            new Acl.Entry("rest", true, any(), List.of()))));
    }

    private static AclMatch tcp(final int port) {
        return new AclMatch(Optional.of(IpFamily.IPV4), Optional.of(6), none(), none(), new AclMatch.Ends<>(
            Optional.empty(), Optional.of(new PortRange(port, port))), new AclMatch.Icmp(Optional.empty(),
                Optional.empty()));
    }

    private static AclMatch any() {
        return new AclMatch(Optional.empty(), Optional.empty(), none(), none(), none(),
            new AclMatch.Icmp(Optional.empty(), Optional.empty()));
    }

    private static <T> AclMatch.Ends<T> none() {
        return new AclMatch.Ends<>(Optional.empty(), Optional.empty());
    }

    void egress(final String list) {
        egress = Optional.of(list);
    }

    void ingress(final String list, final boolean stateful) {
        protection = new Protection(Optional.of(list), stateful, Quota.NONE);
    }

    void uplinkList(final String list) {
        uplinkList = Optional.of(list);
    }

    void chained(final FailPolicy when, final String... reasons) {
        chain = Optional.of("inspected");
        policy = when;
        for (final String why : reasons) {
            down.put("fw", why);
        }
    }

    void translates(final Optional<Tenant.Nat> other) {
        nat = other;
    }

    void hasNoAddress() {
        hasAddress = false;
    }

    void block(final String subscriber, final String address, final int first, final int size) {
        blocks.add(new Block(Ipv4.parse(subscriber), Ipv4.parse(address), first, size));
    }

    void gatewaySilent() {
        gateways = Set.of();
    }

    void withoutUplink() {
        hasUplink = false;
    }

    void backboneRoute(final String prefix) {
        backboneRoutes = List.of(new Route(Prefix.parse(prefix), GATEWAY));
    }

    void mtu(final int ofSubnet, final int ofUplink) {
        mtu = ofSubnet;
        uplinkMtu = ofUplink;
    }
}
