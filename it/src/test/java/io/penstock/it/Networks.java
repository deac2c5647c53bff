// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.testkit.EdgeNetwork;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Networks for packets: small enough to tell what a host must see. */
public final class Networks {
    /** Name of the node. */
    public static final String NODE = "edge1";
    /** Address of the node on its uplink. */
    public static final String BACKBONE_ADDRESS = "192.0.2.2";
    static final String PUBLIC_PREFIX = "203.0.113.0/24";
    /** Name of the list that {@link #guarded} tenants have. */
    static final String LIST = "list";

    private static final Acl OPEN = new Acl(LIST, List.of());

    private Networks() {
        // Only functions.
    }

    /** The node of all of them. */
    static Node node(final Path vhostDirectory) {
        return new Node(NODE, vhostDirectory.toString(), List.of(
            new Node.Port("acc0", Node.Role.ACCESS, Node.PortType.SYSTEM, ""),
            new Node.Port("acc1", Node.Role.ACCESS, Node.PortType.SYSTEM, ""),
            new Node.Port(EdgeNetwork.UPLINK, Node.Role.UPLINK, Node.PortType.SYSTEM, "")));
    }

    /** Tenants on the node. */
    public static Snapshot of(final Tenant... tenants) {
        return of(OPEN, tenants);
    }

    /** Tenants on the node, and a list for those that have one. */
    static Snapshot of(final Acl list, final Tenant... tenants) {
        return of(Path.of("/nowhere"), List.of(), List.of(), list, tenants);
    }

    /** Tenants on the node and a chain named {@code chain} of these functions. */
    static Snapshot of(final Path vhostDirectory, final List<NetworkFunction> functions, final Tenant... tenants) {
        return of(vhostDirectory, functions, functions.stream().map(NetworkFunction::name).toList(), tenants);
    }

    /** The same with a chain of only these of the functions. */
    static Snapshot of(final Path vhostDirectory, final List<NetworkFunction> functions, final List<String> chain,
            final Tenant... tenants) {
        return of(vhostDirectory, functions, chain, OPEN, tenants);
    }

    private static Snapshot of(final Path vhostDirectory, final List<NetworkFunction> functions,
            final List<String> chain, final Acl list, final Tenant... tenants) {
        final Backbone backbone = new Backbone(
            List.of(new Backbone.Interface(NODE, EdgeNetwork.UPLINK, 0, Prefix.parse("192.0.2.0/24"),
                Ipv4.parse(BACKBONE_ADDRESS), Optional.empty())),
            List.of(new Route(Prefix.DEFAULT, Ipv4.parse(EdgeNetwork.TRANSIT))));
        return Snapshot.of(List.of(node(vhostDirectory)), backbone,
            List.of(new Pool("public", List.of(Prefix.parse(PUBLIC_PREFIX)))), functions,
            chain.isEmpty() ? List.of() : List.of(new Chain("chain", chain)), List.of(tenants),
            List.of(list));
    }

    /** The same on another port. */
    static Tenant plain(final String name, final String port, final int vlan, final String publicAddress) {
        final Tenant tenant = plain(name, vlan, publicAddress);
        return new Tenant(name, List.of(new Tenant.Attachment("lan", NODE, port, vlan)), tenant.subnets(),
            tenant.routes(), tenant.nat(), Optional.empty(), Optional.empty());
    }

    /** A tenant on one VLAN of acc0 with 10.0.0.0/24 and a public address. */
    static Tenant plain(final String name, final int vlan, final String publicAddress) {
        return tenant(name, vlan, publicAddress, Optional.empty(), Optional.empty());
    }

    /** The same with the list {@link #LIST}. */
    static Tenant guarded(final String name, final int vlan, final String publicAddress) {
        return tenant(name, vlan, publicAddress, Optional.of(LIST), Optional.empty());
    }

    /** The same with the chain. */
    static Tenant chained(final String name, final int vlan, final String publicAddress) {
        return tenant(name, vlan, publicAddress, Optional.empty(), Optional.of("chain"));
    }

    private static Tenant tenant(final String name, final int vlan, final String publicAddress,
            final Optional<String> list, final Optional<String> chain) {
        return new Tenant(name, List.of(new Tenant.Attachment("lan", NODE, "acc0", vlan)),
            List.of(new Tenant.Subnet("lan", Prefix.parse("10.0.0.0/24"), Ipv4.parse("10.0.0.1"), List.of())),
            List.of(), nat(publicAddress), list, chain);
    }

    /** The same, but that it sees a network outside at other addresses. */
    static Tenant seeing(final Tenant tenant, final String seen, final String outside) {
        return tenant.with(tenant.nat().orElseThrow()
            .with(List.of(new Tenant.Twice(Prefix.parse(seen), Prefix.parse(outside)))));
    }

    /**
     * A tenant with 10.1.0.0/16 bridged over acc0/300 and acc1/301, 10.2.0.0/24 on acc1/302, and 172.16.0.0/12 behind
     * a router at 10.2.0.9.
     */
    static Tenant campus(final String publicAddress) {
        return new Tenant("campus",
            List.of(new Tenant.Attachment("a", NODE, "acc0", 300), new Tenant.Attachment("b", NODE, "acc1", 301),
                new Tenant.Attachment("c", NODE, "acc1", 302)),
            List.of(
                new Tenant.Subnet("wide", Prefix.parse("10.1.0.0/16"), Ipv4.parse("10.1.0.1"), List.of("a", "b")),
                new Tenant.Subnet("lone", Prefix.parse("10.2.0.0/24"), Ipv4.parse("10.2.0.1"), List.of("c"))),
            List.of(new Route(Prefix.parse("172.16.0.0/12"), Ipv4.parse("10.2.0.9"))), nat(publicAddress),
            Optional.empty(), Optional.empty());
    }

    private static Optional<Tenant.Nat> nat(final String publicAddress) {
        return Optional.of(new Tenant.Nat(Optional.of(Ipv4.parse(publicAddress)), Optional.empty()));
    }

    /** Permits TCP to ports, nothing else. */
    static Acl tcpTo(final int low, final int high) {
        return new Acl(LIST, List.of(new Acl.Entry("tcp", true, Matches.to(6, low, high), List.of())));
    }
}
