// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.DomainNames;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/** The rules for the resolver of a tenant: its zone, and whom it asks. */
final class DnsRules {
    private static final int MOST_QUERIES = 100_000;
    private static final String CNAME = "CNAME";
    /** The zone itself. */
    private static final String APEX = "@";
    /** RFC 6052, section 2.2. */
    private static final Set<Integer> DNS64_LENGTHS = Set.of(32, 40, 48, 56, 64, 96);
    /** The byte before these bits of the second half is zero by RFC 6052. */
    private static final int BEHIND_ZERO_BYTE = 56;

    private final Tenant tenant;
    private final Dns dns;
    private final BiConsumer<String, String> add;

    private DnsRules(final Tenant tenant, final Dns dns, final BiConsumer<String, String> add) {
        this.tenant = tenant;
        this.dns = dns;
        this.add = add;
    }

    /**
     * Finds the rules that a tenant breaks.
     *
     * @param add takes a leaf and a rule
     */
    static void check(final Tenant tenant, final BiConsumer<String, String> add) {
        tenant.services().dns().ifPresent(dns -> {
            final DnsRules rules = new DnsRules(tenant, dns, add);
            rules.checkZone();
            rules.checkAliases();
            dns.upstreams().forEach(rules::checkUpstream);
            rules.checkSpellings();
            // A resolver has one source address, and whoever answers first would decide.
            if (dns.upstreams().stream().map(Dns.Upstream::inside).distinct().count() > 1) {
                add.accept("dns / upstream / inside",
                    "is not the same for all upstreams; set it to true or false for all of them");
            }
            dns.queriesPerSecond().filter(rate -> rate < 1 || rate > MOST_QUERIES)
                .ifPresent(rate -> add.accept("dns / queries-per-second", rate + " is not in 1.." + MOST_QUERIES));
            dns.dns64().flatMap(DnsRules::prefixProblem).ifPresent(rule -> add.accept("dns / dns64", rule));
        });
    }

    /** Why a resolver's address is none, if it is none. */
    static Optional<String> addressProblem(final String address) {
        return Ipv4.isAddress(address) || Ipv6.isAddress(address) ? Optional.empty()
            : Optional.of("'" + address + "' is not an IP address");
    }

    private void checkZone() {
        dns.domain().filter(domain -> !DomainNames.isDomain(domain)).ifPresent(domain ->
            add.accept("dns / domain", "'" + domain + "' is not a domain name (RFC 1123)"));
        if (dns.domain().isEmpty()) {
            add.accept("dns / domain", "is missing");
        }
        final String domain = dns.domain().orElse("");
        for (final Dns.Record each : dns.records()) {
            final String leaf = leaf(each);
            nameProblem(each.name(), domain).ifPresent(rule -> add.accept(leaf + "name", rule));
            if (each.ttl() < 0) {
                add.accept(leaf + "ttl", each.ttl() + " is not in 0.." + Integer.MAX_VALUE);
            }
            if (RecordData.TYPES.contains(each.type())) {
                RecordData.problem(each.type(), each.data(), domain)
                    .ifPresent(rule -> add.accept(leaf + "data", rule));
            } else {
                add.accept(leaf + "type", "'" + each.type() + "' is none of "
                    + String.join(", ", RecordData.TYPES.stream().sorted().toList()));
            }
        }
    }

    private static String leaf(final Dns.Record each) {
        return "dns / record " + each.name() + " " + each.type() + " / ";
    }

    private static Optional<String> nameProblem(final String name, final String domain) {
        if (name.equals(APEX)) {
            return Optional.empty();
        }
        if (name.endsWith(".")) {
            final String whole = ("." + name.substring(0, name.length() - 1)).toLowerCase(Locale.ROOT);
            return Optional.of(whole.endsWith("." + domain.toLowerCase(Locale.ROOT))
                ? "'" + name + "' has to be written below " + domain + " and without a dot at the end"
                : "'" + name + "' is outside the zone " + domain);
        }
        return DomainNames.isOfRecord(domain.isEmpty() ? name : name + "." + domain) ? Optional.empty()
            : Optional.of("'" + name + "' is not a name below " + domain);
    }

    /** A name that stands for another one has nothing else (RFC 1034, section 3.6.2), and the zone has its SOA. */
    private void checkAliases() {
        final Map<String, Integer> records = new HashMap<>();
        dns.records().forEach(each -> records.merge(each.name().toLowerCase(Locale.ROOT), 1, Integer::sum));
        final Set<String> hosts = new HashSet<>();
        tenant.services().dhcp().map(Dhcp::subnets).orElse(List.of()).stream()
            .flatMap(subnet -> subnet.reservations().stream()).flatMap(each -> each.hostName().stream())
            .forEach(name -> hosts.add(name.toLowerCase(Locale.ROOT)));
        for (final Dns.Record each : dns.records()) {
            final String name = each.name().toLowerCase(Locale.ROOT);
            if (!each.type().equals(CNAME)) {
                continue;
            }
            if (name.equals(APEX)) {
                add.accept(leaf(each) + "type", "the zone itself cannot be an alias");
            } else if (records.getOrDefault(name, 0) > 1) {
                add.accept(leaf(each) + "type", "a name with CNAME has no other record");
            } else if (hosts.contains(name)) {
                add.accept(leaf(each) + "name", "'" + each.name() + "' is the host-name of a reservation");
            }
        }
    }

    private void checkUpstream(final Dns.Upstream upstream) {
        final String leaf = "dns / upstream " + upstream.address() + " / ";
        final Optional<String> problem = addressProblem(upstream.address());
        if (problem.isPresent()) {
            add.accept(leaf + "address", problem.orElseThrow());
        } else if (upstream.inside()) {
            checkInside(upstream, leaf + "inside");
        }
    }

    private void checkInside(final Dns.Upstream upstream, final String leaf) {
        final boolean isInside;
        final boolean isGateway;
        if (upstream.isIpv6()) {
            final Ipv6 address = Ipv6.parse(upstream.address());
            isInside = tenant.ipv6().insidePrefixes().stream().anyMatch(prefix -> prefix.contains(address));
            isGateway = tenant.ipv6().subnets().stream().anyMatch(subnet -> subnet.gateway().equals(address));
        } else {
            final Ipv4 address = Ipv4.parse(upstream.address());
            isInside = Prefix.anyContains(tenant.insidePrefixes(), address);
            isGateway = tenant.subnets().stream().anyMatch(subnet -> subnet.gateway().equals(address));
        }
        if (!isInside) {
            add.accept(leaf, upstream.address() + " is not in a subnet or route of the tenant");
        } else if (isGateway) {
            add.accept(leaf, upstream.address() + " is the VRF's own gateway");
        }
    }

    /** The list's key is a text, and IPv6 addresses have many spellings. */
    private void checkSpellings() {
        final Set<Ipv6> seen = new HashSet<>();
        dns.upstreams().stream().filter(Dns.Upstream::isIpv6).map(Dns.Upstream::address)
            .filter(address -> addressProblem(address).isEmpty()).filter(address -> !seen.add(Ipv6.parse(address)))
            .forEach(address -> add.accept("dns / upstream " + address + " / address", "occurs twice: "
                + Ipv6.parse(address)));
    }

    private static Optional<String> prefixProblem(final String text) {
        final String[] parts = text.split("/", -1);
        if (!Ipv6.isAddress(parts[0]) || parts.length != 2 || !parts[1].matches("[0-9]{1,3}")) {
            return Optional.of("'" + text + "' is not an IPv6 prefix");
        }
        final int length = Integer.parseInt(parts[1]);
        if (!DNS64_LENGTHS.contains(length)) {
            return Optional.of(text + " has the length " + length
                + "; it is one of 32, 40, 48, 56, 64 and 96 (RFC 6052)");
        }
        final Ipv6 address = Ipv6.parse(parts[0]);
        return address.and(Ipv6.mask(length)).equals(address) && address.low() >>> BEHIND_ZERO_BYTE == 0
            ? Optional.empty() : Optional.of(text + " has bits set that are zero by RFC 6052");
    }
}
