// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.RawOptions;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.net.DomainNames;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/** The rules for what the DHCP server of a tenant tells the hosts of one subnet. */
final class DhcpOptionRules {
    /** The length of an option is one byte (RFC 2132, section 2). */
    private static final int MOST_BYTES = 255;
    private static final int ADDRESS_BYTES = 4;
    /** Field file has 128 bytes, with a zero at the end (RFC 2131, section 2). */
    private static final int LONGEST_BOOT_FILE = 127;

    private final Dhcp.Options options;
    private final Prefix prefix;
    private final String entry;
    private final BiConsumer<String, String> add;

    private DhcpOptionRules(final Dhcp.Subnet subnet, final String entry, final BiConsumer<String, String> add) {
        options = subnet.options();
        prefix = subnet.prefix();
        this.entry = entry;
        this.add = add;
    }

    /**
     * Finds the rules that are broken.
     *
     * @param entry where the subnet is, before the name of a leaf
     * @param add takes a leaf and a rule
     */
    static void check(final Dhcp.Subnet subnet, final String entry, final BiConsumer<String, String> add) {
        final DhcpOptionRules rules = new DhcpOptionRules(subnet, entry, add);
        rules.checkAddresses();
        rules.checkNames();
        rules.checkMtu();
        rules.checkStaticRoutes();
        rules.checkRaw();
    }

    private void checkAddresses() {
        for (final Ipv4 router : options.routers()) {
            Validator.notInside(router, prefix).ifPresent(rule -> add("router", rule));
        }
        checkBytes("router", ADDRESS_BYTES * options.routers().size());
        checkBytes("dns-server", ADDRESS_BYTES * options.dnsServers().size());
        checkBytes("ntp-server", ADDRESS_BYTES * options.ntpServers().size());
    }

    private void checkNames() {
        options.domain().ifPresent(domain -> checkDomain("domain", domain));
        options.search().forEach(domain -> checkDomain("search", domain));
        checkBytes("search", options.search().stream().mapToInt(DomainNames::bytes).sum());
        checkText("tftp-server", options.tftpServer(), MOST_BYTES);
        checkText("boot-file", options.bootFile(), LONGEST_BOOT_FILE);
    }

    private void checkDomain(final String leaf, final String domain) {
        if (!DomainNames.isDomain(domain)) {
            add(leaf, "'" + domain + "' is not a domain name (RFC 1123)");
        }
    }

    private void checkText(final String leaf, final Optional<String> text, final int most) {
        text.filter(value -> value.isEmpty() || value.length() > most || !RawOptions.isPrintable(value))
            .ifPresent(value -> add(leaf, "is not 1 to " + most + " characters of printable ASCII"));
    }

    private void checkMtu() {
        options.mtu().flatMap(Validator::wrongMtu).ifPresent(rule -> add("mtu", rule));
    }

    private void checkStaticRoutes() {
        final Set<Prefix> seen = new HashSet<>();
        for (final Route route : options.staticRoutes()) {
            final String leaf = "static-route " + route.prefix() + " / ";
            if (!seen.add(route.prefix())) {
                add(leaf + "prefix", "occurs twice");
            }
            if (!prefix.contains(route.nextHop())) {
                add(leaf + "next-hop", route.nextHop() + " is outside its subnet " + prefix);
            }
        }
        // Length, as many bytes of the destination as it needs, and the router (RFC 3442).
        checkBytes("static-route", options.staticRoutes().stream()
            .mapToInt(route -> 1 + (route.prefix().length() + 7) / 8 + ADDRESS_BYTES).sum());
    }

    private void checkRaw() {
        final Set<Integer> seen = new HashSet<>();
        final List<Dhcp.RawOption> raw = options.raw();
        for (final Dhcp.RawOption option : raw) {
            final String leaf = "option " + option.code() + " / ";
            RawOptions.find(option).ifPresent(problem -> add(leaf + problem.leaf(), problem.rule()));
            if (!seen.add(option.code())) {
                add(leaf + "code", "occurs twice");
            }
        }
    }

    private void checkBytes(final String leaf, final int bytes) {
        if (bytes > MOST_BYTES) {
            add(leaf, "has " + bytes + " bytes together; an option has " + MOST_BYTES + " at most");
        }
    }

    private void add(final String leaf, final String rule) {
        add.accept(entry + leaf, rule);
    }
}
