// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Constants;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * How many entries a list may have. Checked before all other rules, some of which compare each entry with each other
 * one: they are judged while every other change waits.
 */
public final class SizeRules {
    private static final String ADDRESSES = "addresses";
    private static final int MOST_ROUTES = 4096;
    private static final int MOST_MAPPINGS = 4096;
    private static final int MOST_FORWARDS = 4096;
    private static final int MOST_TWICE = 1024;
    private static final int MOST_CHAIN_RULES = 1024;
    private static final int MOST_DHCP_POOLS = 256;
    private static final int MOST_EXCLUSIONS = 1024;
    private static final int MOST_RESERVATIONS = 65536;
    private static final int MOST_RECORDS = 65536;
    private static final int MOST_UPSTREAMS = 64;
    private static final int MOST_DRAINED = 256;
    private static final int MOST_NAMED = 4096;
    private static final int MOST_INTERFACES = 1024;
    private static final int MOST_POOL_PREFIXES = 4096;
    private static final int MOST_PORTS = 4096;
    static final int MOST_INSTANCES = 64;
    private static final int MOST_LISTS = 16384;
    /** On all nodes together; VRF ids limit those of one node. */
    private static final int MOST_TENANTS = 100_000;
    /** Values of an option of DHCP or of a router advertisement, of which other rules permit fewer still. */
    private static final int MOST_VALUES = 256;

    /**
     * Most entries by the path of a list below the network, such as {@code tenant/subnet}. A reader of the
     * configuration may look at these first, as reading takes time as well.
     */
    public static final Map<String, Integer> LISTS = Map.ofEntries(
        Map.entry("node", MOST_NAMED), Map.entry("node/port", MOST_PORTS), Map.entry("pool", MOST_NAMED),
        Map.entry("function", MOST_NAMED), Map.entry("function/instance", MOST_INSTANCES),
        Map.entry("chain", MOST_NAMED), Map.entry("tenant", MOST_TENANTS),
        Map.entry("backbone/interface", MOST_INTERFACES), Map.entry("backbone/route", MOST_ROUTES),
        Map.entry("backbone/ipv6/interface", MOST_INTERFACES), Map.entry("backbone/ipv6/route", MOST_ROUTES),
        Map.entry("tenant/attachment", Constants.MOST_ATTACHMENTS), Map.entry("tenant/subnet", Constants.MOST_SUBNETS),
        Map.entry("tenant/route", MOST_ROUTES), Map.entry("tenant/chain-rule", MOST_CHAIN_RULES),
        Map.entry("tenant/ipv6/subnet", Constants.MOST_SUBNETS), Map.entry("tenant/ipv6/route", MOST_ROUTES),
        Map.entry("tenant/nat/one-to-one", MOST_MAPPINGS), Map.entry("tenant/nat/deterministic", MOST_MAPPINGS),
        Map.entry("tenant/nat/port-block", MOST_MAPPINGS), Map.entry("tenant/nat/port-forward", MOST_FORWARDS),
        Map.entry("tenant/nat/twice", MOST_TWICE), Map.entry("tenant/dhcp/subnet", Constants.MOST_SUBNETS),
        Map.entry("tenant/dhcp/subnet/pool", MOST_DHCP_POOLS),
        Map.entry("tenant/dhcp/subnet/exclude", MOST_EXCLUSIONS),
        Map.entry("tenant/dhcp/subnet/reservation", MOST_RESERVATIONS),
        Map.entry("tenant/dhcp/subnet/static-route", MOST_VALUES), Map.entry("tenant/dhcp/subnet/option", MOST_VALUES),
        Map.entry("tenant/dns/record", MOST_RECORDS), Map.entry("tenant/dns/upstream", MOST_UPSTREAMS));

    private SizeRules() {
        // Only functions.
    }

    /**
     * Finds the lists of a tenant that are too long.
     *
     * @param add takes a leaf and a rule
     */
    static void check(final Tenant tenant, final BiConsumer<String, String> add) {
        check("attachment", "attachments", tenant.attachments(), Constants.MOST_ATTACHMENTS, add);
        check("subnet", "subnets", tenant.subnets(), Constants.MOST_SUBNETS, add);
        tenant.subnets().forEach(subnet -> check("subnet " + subnet.name() + " / attachment", "attachments",
            subnet.attachments(), Constants.MOST_ATTACHMENTS, add));
        check("route", "routes", tenant.routes(), MOST_ROUTES, add);
        check("chain-rule", "rules", tenant.chainRules(), MOST_CHAIN_RULES, add);
        check("ipv6 / subnet", "subnets", tenant.ipv6().subnets(), Constants.MOST_SUBNETS, add);
        for (final Ipv6Side.Subnet subnet : tenant.ipv6().subnets()) {
            final String entry = "ipv6 / subnet " + subnet.prefix() + " / ";
            check(entry + "attachment", "attachments", subnet.attachments(), Constants.MOST_ATTACHMENTS, add);
            final String told = entry + "router-advertisement / ";
            check(told + "rdnss", ADDRESSES, subnet.advertisement().resolvers(), MOST_VALUES, add);
            check(told + "dnssl", "domains", subnet.advertisement().domains(), MOST_VALUES, add);
            check(told + "ntp-server", ADDRESSES, subnet.advertisement().timeServers(), MOST_VALUES, add);
        }
        check("ipv6 / route", "routes", tenant.ipv6().routes(), MOST_ROUTES, add);
        tenant.nat().ifPresent(nat -> {
            for (final List<? extends Tenant.Mapping> kind
                    : List.of(nat.oneToOne(), nat.deterministic(), nat.portBlocks())) {
                if (!kind.isEmpty()) {
                    check("nat / " + kind.get(0).kind(), "entries", kind, MOST_MAPPINGS, add);
                }
            }
            check("nat / port-forward", "entries", nat.forwards(), MOST_FORWARDS, add);
            check("nat / twice", "entries", nat.twice(), MOST_TWICE, add);
            nat.portBlocks().forEach(blocks -> check("nat / port-block " + blocks.inside() + " / drain", "prefixes",
                blocks.drain(), MOST_DRAINED, add));
        });
        tenant.services().dhcp().ifPresent(dhcp -> {
            check("dhcp / subnet", "subnets", dhcp.subnets(), Constants.MOST_SUBNETS, add);
            for (final Dhcp.Subnet subnet : dhcp.subnets()) {
                final String entry = "dhcp / subnet " + subnet.prefix() + " / ";
                check(entry + "pool", "pools", subnet.pools(), MOST_DHCP_POOLS, add);
                check(entry + "exclude", "entries", subnet.exclusions(), MOST_EXCLUSIONS, add);
                check(entry + "reservation", "reservations", subnet.reservations(), MOST_RESERVATIONS, add);
                check(entry + "router", ADDRESSES, subnet.options().routers(), MOST_VALUES, add);
                check(entry + "dns-server", ADDRESSES, subnet.options().dnsServers(), MOST_VALUES, add);
                check(entry + "ntp-server", ADDRESSES, subnet.options().ntpServers(), MOST_VALUES, add);
                check(entry + "search", "domains", subnet.options().search(), MOST_VALUES, add);
                check(entry + "static-route", "routes", subnet.options().staticRoutes(), MOST_VALUES, add);
                check(entry + "option", "options", subnet.options().raw(), MOST_VALUES, add);
            }
        });
        tenant.services().dns().ifPresent(dns -> {
            check("dns / record", "records", dns.records(), MOST_RECORDS, add);
            check("dns / upstream", ADDRESSES, dns.upstreams(), MOST_UPSTREAMS, add);
        });
    }

    /** The lists outside of tenants that are too long. */
    static List<Violation> check(final Snapshot snapshot) {
        final List<Violation> violations = new ArrayList<>();
        final BiConsumer<String, String> network =
            (leaf, rule) -> violations.add(new Violation("network", leaf, rule));
        check("tenant", "tenants", snapshot.tenants().keySet(), MOST_TENANTS, network);
        check("node", "nodes", snapshot.nodes().keySet(), MOST_NAMED, network);
        snapshot.nodes().values().forEach(node -> check("port", "ports", node.ports(), MOST_PORTS,
            (leaf, rule) -> violations.add(new Violation("node " + node.name(), leaf, rule))));
        snapshot.functions().values().forEach(function -> check("instance", "instances", function.instances(),
            MOST_INSTANCES,
            (leaf, rule) -> violations.add(new Violation("function " + function.name(), leaf, rule))));
        check("acl", "lists", snapshot.acls().keySet(), MOST_LISTS,
            (leaf, rule) -> violations.add(new Violation("acls", leaf, rule)));
        check("resolver / upstream", ADDRESSES, snapshot.backbone().resolvers(), MOST_UPSTREAMS, network);
        check("pool", "pools", snapshot.pools().keySet(), MOST_NAMED, network);
        check("function", "functions", snapshot.functions().keySet(), MOST_NAMED, network);
        check("chain", "chains", snapshot.chains().keySet(), MOST_NAMED, network);
        final BiConsumer<String, String> backbone =
            (leaf, rule) -> violations.add(new Violation("backbone", leaf, rule));
        check("interface", "interfaces", snapshot.backbone().interfaces(), MOST_INTERFACES, backbone);
        check("route", "routes", snapshot.backbone().routes(), MOST_ROUTES, backbone);
        check("ipv6 / interface", "interfaces", snapshot.backbone().ipv6().interfaces(), MOST_INTERFACES, backbone);
        check("ipv6 / route", "routes", snapshot.backbone().ipv6().routes(), MOST_ROUTES, backbone);
        int prefixes = 0;
        for (final Pool pool : snapshot.pools().values()) {
            final BiConsumer<String, String> add =
                (leaf, rule) -> violations.add(new Violation("pool " + pool.name(), leaf, rule));
            check("drain", "prefixes", pool.drain(), MOST_DRAINED, add);
            prefixes += pool.prefixes().size();
            if (prefixes > MOST_POOL_PREFIXES) {
                add.accept("prefix", "the pools up to this one have " + prefixes + " prefixes, more than "
                    + MOST_POOL_PREFIXES);
                break;
            }
        }
        return violations;
    }

    private static void check(final String leaf, final String what, final Collection<?> entries, final int most,
            final BiConsumer<String, String> add) {
        if (entries.size() > most) {
            add.accept(leaf, entries.size() + " " + what + " are more than " + most);
        }
    }
}
