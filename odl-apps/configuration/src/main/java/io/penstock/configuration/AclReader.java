// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.AclMatch;
import io.penstock.pipeline.intent.AclMatch.Ends;
import io.penstock.pipeline.intent.AclMatch.Icmp;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** RFC 8519 access control lists. What the data plane cannot express is named, never left out in silence. */
final class AclReader {
    private static final Map<String, Integer> L4_PROTOCOLS = Map.of("tcp", IpProtocol.TCP, "udp", IpProtocol.UDP,
        "icmp", IpProtocol.ICMP);
    private static final Set<String> EXPRESSIBLE = Set.of("ipv4/protocol", "ipv4/source-ipv4-network",
        "ipv4/destination-ipv4-network", "ipv6/protocol", "ipv6/source-ipv6-network", "ipv6/destination-ipv6-network",
        "icmp/type", "icmp/code");
    private static final Set<String> PORT_LEAVES = Set.of("lower-port", "upper-port", "operator", "port");
    private static final int LAST_PORT = 0xffff;

    private AclReader() {
        // Only functions.
    }

    /** One list. */
    static Acl read(final Element acl) throws UnreadableException {
        final List<Acl.Entry> entries = new ArrayList<>();
        for (final Element ace : acl.child("aces").list("ace", "name")) {
            entries.add(entry(new Leaves("acl " + acl.text("name"), "ace " + ace.text("name") + " / ", ace), ace));
        }
        return new Acl(acl.text("name"), entries);
    }

    private static Acl.Entry entry(final Leaves leaves, final Element ace) throws UnreadableException {
        final Element matches = ace.child("matches");
        final List<String> inexpressible = new ArrayList<>();
        final Optional<String> l4 = L4_PROTOCOLS.keySet().stream().filter(name -> matches.child(name).isPresent())
            .findFirst();
        checkLeaves(matches, inexpressible);
        final String forwarding = leaves.inside("actions", actions -> actions.text("forwarding"));
        if (!forwarding.equals("accept") && !forwarding.equals("drop")) {
            inexpressible.add("actions/forwarding " + forwarding);
        }
        final String logging = ace.child("actions").text("logging");
        if (!logging.equals("log-none")) {
            inexpressible.add("actions/logging " + logging);
        }
        final Element ipv4 = matches.child("ipv4");
        final Element ipv6 = matches.child("ipv6");
        final Optional<Integer> stated =
            ipv4.leaf("protocol").or(() -> ipv6.leaf("protocol")).map(Integer::valueOf);
        final boolean icmp6 = ipv6.isPresent() && l4.equals(Optional.of("icmp"));
        final Optional<Integer> implied = icmp6 ? Optional.of(IpProtocol.ICMPV6) : l4.map(L4_PROTOCOLS::get);
        if (stated.isPresent() && implied.isPresent() && !stated.equals(implied)) {
            inexpressible.add("matches/" + (ipv6.isPresent() ? "ipv6" : "ipv4") + "/protocol " + stated.orElseThrow()
                + " together with " + l4.orElseThrow());
        }
        final Element icmp = matches.child("icmp");
        final AclMatch match = new AclMatch(family(matches, l4), implied.or(() -> stated),
            ends(name -> ipv4.leaf(name + "-ipv4-network").map(Prefix::parse)),
            ends(name -> ipv6.leaf(name + "-ipv6-network").map(Prefix6::parse)),
            new Ends<>(ports(leaves, l4, "source-port", inexpressible),
                ports(leaves, l4, "destination-port", inexpressible)),
            new Icmp(icmp.leaf("type").map(Integer::valueOf), icmp.leaf("code").map(Integer::valueOf)));
        return new Acl.Entry(ace.text("name"), forwarding.equals("accept"), match, inexpressible);
    }

    private static <T> Ends<T> ends(final Function<String, Optional<T>> end) {
        return new Ends<>(end.apply("source"), end.apply("destination"));
    }

    private static void checkLeaves(final Element matches, final List<String> inexpressible) {
        for (final String path : matches.leafPaths()) {
            final String leaf = path.substring(path.lastIndexOf('/') + 1);
            final boolean port = path.contains("-port/") && PORT_LEAVES.contains(leaf);
            if (!EXPRESSIBLE.contains(path) && !port) {
                inexpressible.add("matches/" + path);
            }
        }
    }

    /** Without addresses an entry is about both, but for ICMP, whose types mean something else in each. */
    private static Optional<IpFamily> family(final Element matches, final Optional<String> l4) {
        if (matches.child("ipv6").isPresent()) {
            return Optional.of(IpFamily.IPV6);
        }
        return matches.child("ipv4").isPresent() || l4.equals(Optional.of("icmp")) ? Optional.of(IpFamily.IPV4)
            : Optional.empty();
    }

    private static Optional<PortRange> ports(final Leaves entry, final Optional<String> l4, final String leaf,
            final List<String> inexpressible) throws UnreadableException {
        return l4.isEmpty() || l4.orElseThrow().equals("icmp") ? Optional.empty()
            : entry.inside("matches", matches -> matches.inside(l4.orElseThrow(), header ->
                header.child(leaf, ports -> range(ports, leaf, inexpressible)).flatMap(range -> range)));
    }

    private static Optional<PortRange> range(final Leaves ports, final String leaf,
            final List<String> inexpressible) throws UnreadableException {
        if (ports.has("lower-port") || ports.has("upper-port")) {
            final int low = ports.count("lower-port");
            final int high = ports.count("upper-port");
            if (low > high) {
                inexpressible.add(leaf + "/lower-port " + low + " above upper-port " + high);
                return Optional.empty();
            }
            return Optional.of(new PortRange(low, high));
        }
        final int port = ports.count("port");
        final String operator = ports.text("operator");
        return switch (operator) {
            case "eq" -> Optional.of(new PortRange(port, port));
            case "lte" -> Optional.of(new PortRange(0, port));
            case "gte" -> Optional.of(new PortRange(port, LAST_PORT));
            default -> {
                inexpressible.add(leaf + "/operator " + operator);
                yield Optional.empty();
            }
        };
    }
}
