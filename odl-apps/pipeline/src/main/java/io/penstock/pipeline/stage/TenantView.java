// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.ChainRule;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One tenant on one node.
 *
 * @param publicAddress of its source NAT; absent without
 * @param blocks ports of subscribers, those of one in the order in which it got them
 * @param leases addresses that hosts have from its DHCP server
 * @param domains broadcast domains; the index of a domain is its id
 * @param paths one for what no rule is about, and one for each further chain, in the order of {@link Tenant#chains}
 * @param steering which packets take which of the paths, the first rule first
 * @param places which sixteen bits of ct_label tell the instance of a connection, by function
 * @param algs what source NAT looks into on the node, in the order of their ports
 */
public record TenantView(Tenant tenant, VrfId vrf, Optional<Ipv4> publicAddress, List<Block> blocks, List<Lease> leases,
        List<Domain> domains, List<Path> paths, List<Steering> steering, Map<String, Integer> places,
        List<Alg> algs) {

    /**
     * A way between the tenant and the backbone.
     *
     * @param chain its name; absent where there is no chain
     * @param note ends the labels of its flows
     * @param trunk its functions
     * @param branch where connections leave it for others, if they do
     */
    public record Path(Optional<String> chain, String note, Functions trunk, Optional<Branch> branch) {
        private static Path none(final String note) {
            return new Path(Optional.empty(), note, new Functions(Optional.of(List.of()), List.of(List.of())),
                Optional.empty());
        }
    }

    /**
     * Functions one behind the other.
     *
     * @param working those that work or are not bypassed, from the tenant to the backbone; absent when a function
     *     that must not be bypassed is down
     * @param copies mirrors that get copies: in the first list before the first function, and so on
     */
    record Functions(Optional<List<NetworkFunction>> working, List<List<NetworkFunction>> copies) { }

    /**
     * Behind the second output of a function.
     *
     * @param at that function, which works
     * @param place which sixteen bits of ct_label tell that a connection is there
     */
    record Branch(NetworkFunction at, int place, Functions functions) { }

    /** What packets do at a function of their chain. */
    enum Part {
        PASSED, COPIED, BYPASSED, STOPPED;

        static Part of(final NodeView node, final NetworkFunction function) {
            if (node.isDown(function)) {
                return function.failPolicy() == NetworkFunction.FailPolicy.CLOSED ? STOPPED : BYPASSED;
            }
            return function.mirror() ? COPIED : PASSED;
        }
    }

    /**
     * An entry of a rule.
     *
     * @param entry as of packets to the backbone
     * @param path which of the paths
     */
    public record Steering(String rule, Acl.Entry entry, ChainRule.Ways ways, int path) { }

    /**
     * A conntrack zone.
     *
     * @param purpose names it in labels of flows
     * @param valid whether packets that are invalid there are dropped behind it
     * @param etherTypes of packets that come there
     */
    record Zone(int number, String purpose, boolean valid, List<Integer> etherTypes) { }

    /** Attachments that hear each other's broadcasts, and the subnets on them. */
    public record Domain(int id, List<Tenant.Attachment> attachments, List<Tenant.Subnet> subnets,
            List<Ipv6Side.Subnet> subnets6) {
        /** Whether frames have to be bridged between attachments. */
        public boolean isBridged() {
            return attachments.size() > 1;
        }

        /** Whether the VRF has IPv6 there. */
        public boolean hasIpv6() {
            return !subnets6.isEmpty();
        }
    }

    /** The view of a tenant. */
    static TenantView of(final NodeView node, final Tenant tenant) {
        final TenantAllocation allocation =
            requireNonNull(node.allocations().tenants().get(tenant.name()));
        return new TenantView(tenant, allocation.vrf(node.node().name()).orElseThrow(), allocation.publicAddress(),
            allocation.blocks(),
            allocation.leases().stream().filter(Lease::isBound).toList(), domains(tenant),
            paths(node, tenant, allocation.places()), steering(node, tenant), allocation.places(),
            algs(node, tenant));
    }

    private static List<Alg> algs(final NodeView node, final Tenant tenant) {
        return tenant.nat().map(Tenant.Nat::algs).orElse(Set.of()).stream()
            .filter(alg -> alg != Alg.FTP || node.node().ftpHelper()).sorted().toList();
    }

    /** Which sixteen bits of ct_label hold the instance of a connection in a function. */
    public int place(final NetworkFunction function) {
        return requireNonNull(places.get(function.name()));
    }

    /** A match on this VRF. */
    public FieldMatch isVrf() {
        return Register.VRF.is(vrf.number());
    }

    /**
     * Matches on packets that are the tenant's to answer for: those it sent to the backbone, and those in its VRF that
     * no other tenant sent there. No packet is two tenants'.
     */
    public List<List<FieldMatch>> caused() {
        final List<FieldMatch> inside = List.of(isVrf(), Register.SENDER.is(0));
        return hasListedWays() ? List.of(inside, List.of(Register.SENDER.is(vrf.number()))) : List.of(inside);
    }

    /** What the DHCP server of the VRF does for a subnet, if it does. */
    public Optional<Dhcp.Subnet> dhcp(final Tenant.Subnet subnet) {
        return tenant.services().dhcp().stream().flatMap(dhcp -> dhcp.subnets().stream())
            .filter(each -> each.prefix().equals(subnet.prefix())).findFirst();
    }

    /** A meter that the tenant has for itself. */
    public Action meter(final TenantMeter meter) {
        return new Action.Meter(meter.number(vrf));
    }

    /** Begins a flow that each packet to the backbone meets once. */
    public List<Action> limitOut() {
        return quota().outKbps().map(rate -> meter(TenantMeter.OUT)).stream().toList();
    }

    /** Begins a flow that each packet from the backbone meets once. */
    public List<Action> limitIn() {
        return quota().inKbps().map(rate -> meter(TenantMeter.IN)).stream().toList();
    }

    /** Connections that NAT may begin in a second, if that is limited. */
    Optional<Integer> newSessions() {
        return quota().mostNewSessions(TenantMeter.NEW_SESSIONS.rate()).filter(rate -> hasNat());
    }

    /** Begins a flow for packets that begin a connection, and for no others. */
    public List<Action> limitNew() {
        return newSessions().map(rate -> meter(TenantMeter.NEW_SESSIONS)).stream().toList();
    }

    /** Fragments a second that may go into connection tracking, if that is limited. */
    Optional<Integer> fragments() {
        return quota().mostFragments(TenantMeter.FRAGMENTS.rate()).filter(rate -> !zones().isEmpty());
    }

    /** The conntrack zones in which packets of the tenant are tracked, in the order of their numbers. */
    List<Zone> zones() {
        final List<Zone> zones = new ArrayList<>();
        if (hasNat()) {
            zones.add(new Zone(vrf.natZone(), "translations", false, List.of(EtherType.IPV4)));
        }
        if (!places.isEmpty()) {
            zones.add(new Zone(vrf.chainZone(), "chains", false, List.of(EtherType.IPV4, EtherType.IPV6)));
        }
        if (tracksLists() || admitsIpv6Replies()) {
            zones.add(new Zone(vrf.aclZone(), "lists", true, List.of(EtherType.IPV4, EtherType.IPV6)));
        }
        return zones;
    }

    /** Most hosts that the switch learns, and most next hops. */
    public int learnedHosts() {
        return quota().mostLearnedHosts();
    }

    private Quota quota() {
        return tenant.protection().quota();
    }

    /** Whether connections are tracked for the access lists, so that answers need no entry. */
    public boolean tracksLists() {
        return hasListedWays() && tenant.protection().stateful()
            && (tenant.egressAcl().isPresent() || tenant.protection().ingressAcl().isPresent());
    }

    /** Whether IPv6 connections from outside the VRF are refused although no list refuses them. */
    public boolean admitsIpv6Replies() {
        return hasIpv6() && tenant.ipv6().inbound() == Ipv6Side.Inbound.REPLIES
            && tenant.protection().ingressAcl().isEmpty();
    }

    /** Whether what comes from the backbone has to pass {@link io.penstock.pipeline.registry.Table#TENANT_ACL_IN}. */
    boolean hasListIn() {
        return tracksLists() || admitsIpv6Replies()
            || hasListedWays() && tenant.protection().ingressAcl().isPresent();
    }

    /** Where packets of a family to the backbone go from the routing of the VRF. */
    Table behindRouting(final IpFamily family) {
        return tracksLists() || tenant.egressAcl().isPresent() || family == IpFamily.IPV6 && admitsIpv6Replies()
            ? Table.TENANT_ACL : Table.CHAIN_OUT;
    }

    /** Whether packets of any family pass access lists on their way to and from the backbone. */
    boolean hasListedWays() {
        return hasNat() || hasIpv6();
    }

    /** The families of packets that the backbone carries for the tenant. */
    List<IpFamily> families() {
        return Stream.of(IpFamily.values())
            .filter(family -> family == IpFamily.IPV4 ? hasNat() : hasIpv6()).toList();
    }

    /** Whether the VRF routes IPv6. */
    public boolean hasIpv6() {
        return tenant.ipv6().isPresent();
    }

    /** Whether IPv4 packets may go to the backbone at all. */
    public boolean hasNat() {
        return tenant.nat().isPresent();
    }

    /** Whether who has no translation of its own leaves with the {@link #publicAddress}. */
    public boolean hasSourceNat() {
        return publicAddress.isPresent();
    }

    /** Translations of single addresses and prefixes, which need no connection tracking. */
    public List<Tenant.OneToOne> oneToOne() {
        return tenant.nat().map(Tenant.Nat::oneToOne).orElse(List.of());
    }

    /** Subscribers whose ports their address tells. */
    public List<Tenant.Deterministic> deterministic() {
        return tenant.nat().map(Tenant.Nat::deterministic).orElse(List.of());
    }

    /** Subscribers that get ports when they need them. */
    public List<Tenant.PortBlocks> portBlocks() {
        return tenant.nat().map(Tenant.Nat::portBlocks).orElse(List.of());
    }

    /** Services inside that are reached at a port of the {@link #publicAddress}. */
    public List<Tenant.PortForward> forwards() {
        return tenant.nat().map(Tenant.Nat::forwards).orElse(List.of());
    }

    /** Networks outside that hosts see at other addresses. */
    public List<Tenant.Twice> twice() {
        return tenant.nat().map(Tenant.Nat::twice).orElse(List.of());
    }

    /** The public addresses of the tenant on this node. */
    public List<Prefix> publicPrefixes() {
        return Stream.concat(publicAddress.map(Prefix::host).stream(),
            tenant.nat().stream().flatMap(nat -> nat.mappings().stream()).map(Tenant.Mapping::outside)).toList();
    }

    private static List<Path> paths(final NodeView node, final Tenant tenant, final Map<String, Integer> places) {
        final List<Path> paths = new ArrayList<>();
        paths.add(tenant.chain().map(chain -> path(node, "", chain, places)).orElse(Path.none("")));
        others(tenant).forEach(chain -> paths.add(path(node, ", chain " + chain, chain, places)));
        if (tenant.chainRules().stream().anyMatch(rule -> rule.chain().isEmpty())) {
            paths.add(Path.none(", no chain"));
        }
        return List.copyOf(paths);
    }

    /** Names of the chains that only rules name. */
    private static List<String> others(final Tenant tenant) {
        return tenant.chains().stream().filter(chain -> !tenant.chain().equals(Optional.of(chain))).toList();
    }

    private static List<Steering> steering(final NodeView node, final Tenant tenant) {
        final List<String> others = others(tenant);
        final List<Steering> steering = new ArrayList<>();
        for (final ChainRule rule : tenant.chainRules()) {
            final int path = rule.chain().isEmpty() ? others.size() + 1
                : rule.chain().equals(tenant.chain()) ? 0 : others.indexOf(rule.chain().orElseThrow()) + 1;
            requireNonNull(node.snapshot().acls().get(rule.acl())).entries()
                .forEach(entry -> steering.add(new Steering(rule.name(), entry, rule.ways(), path)));
        }
        return List.copyOf(steering);
    }

    private static Path path(final NodeView node, final String note, final String chain,
            final Map<String, Integer> places) {
        final Functions trunk = functions(node, node.snapshot().functionsOf(chain));
        final Optional<Branch> branch = node.snapshot().branchOf(chain).flatMap(behind -> trunk.working()
            .orElse(List.of()).stream().filter(function -> function.name().equals(behind.at())).findFirst()
            .map(at -> new Branch(at, requireNonNull(places.get(at.name())),
                functions(node, node.snapshot().named(behind.functions())))));
        return new Path(Optional.of(chain), note, trunk, branch);
    }

    private static Functions functions(final NodeView node, final List<NetworkFunction> all) {
        final List<NetworkFunction> working = new ArrayList<>();
        final List<List<NetworkFunction>> copies = new ArrayList<>(List.of(new ArrayList<>()));
        for (final NetworkFunction function : all) {
            switch (Part.of(node, function)) {
                case COPIED -> copies.get(working.size()).add(function);
                case PASSED -> {
                    working.add(function);
                    copies.add(new ArrayList<>());
                }
                case STOPPED -> {
                    return new Functions(Optional.empty(), List.of());
                }
                default -> { }
            }
        }
        return new Functions(Optional.of(List.copyOf(working)), List.copyOf(copies));
    }

    private static List<Domain> domains(final Tenant tenant) {
        final List<List<Tenant.Attachment>> groups = new ArrayList<>();
        for (final Tenant.Attachment attachment : tenant.attachments()) {
            groups.add(new ArrayList<>(List.of(attachment)));
        }
        for (final List<Tenant.Attachment> shared : Stream.concat(tenant.subnets().stream().map(tenant::attachmentsOf),
                tenant.ipv6().subnets().stream().map(tenant::attachmentsOf)).toList()) {
            final List<Tenant.Attachment> merged = new ArrayList<>();
            groups.removeIf(group -> {
                final boolean meets = group.stream().anyMatch(shared::contains);
                if (meets) {
                    merged.addAll(group);
                }
                return meets;
            });
            if (!merged.isEmpty()) {
                groups.add(merged);
            }
        }
        // The order of the configuration decides, not the order of merging.
        groups.forEach(group -> group.sort(Comparator.comparingInt(tenant.attachments()::indexOf)));
        groups.sort(Comparator.comparingInt(group -> tenant.attachments().indexOf(group.get(0))));
        final List<Domain> domains = new ArrayList<>();
        for (final List<Tenant.Attachment> group : groups) {
            domains.add(new Domain(domains.size(), List.copyOf(group), tenant.subnets().stream()
                .filter(subnet -> tenant.attachmentsOf(subnet).stream().anyMatch(group::contains)).toList(),
                tenant.ipv6().subnets().stream()
                    .filter(subnet -> tenant.attachmentsOf(subnet).stream().anyMatch(group::contains)).toList()));
        }
        return domains;
    }
}
