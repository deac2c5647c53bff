// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import io.penstock.testkit.Documents;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random changes of a small network, where few names, addresses and VLANs are for many: most pairs of them conflict in
 * one way or another, and most are good alone. Not for several threads.
 */
final class ConflictingChanges {
    private static final String SPARE = "spare";
    private static final String SPARE_NODE =
        "{'name': 'spare', 'port': [{'name': 'acc0', 'role': 'access'}%s]}";
    private static final String SPARE_UPLINK = ", {'name': 'up0', 'role': 'uplink'}";
    private static final List<String> TENANTS = List.of("t0", "t1", "t2", "t3", "t4");
    private static final List<String> LISTS = List.of("l0", "l1");
    private static final List<String> FUNCTIONS = List.of("f0", "f1");
    private static final List<String> CHAINS = List.of("c0", "c1");
    private static final List<String> ADDRESSES =
        List.of("198.51.100.0", "198.51.100.1", "198.18.0.1", "192.88.99.1", "192.88.99.5");
    /** Overlap each other, the addresses, and the pools. */
    private static final List<String> PREFIXES =
        List.of("192.88.99.0/30", "192.88.99.4/30", "198.18.0.0/30", "198.18.0.4/30");
    private static final List<String> PREFIXES6 =
        List.of("2001:db8:1::/64", "2001:db8:1:1::/64", "2001:db8:2::/64");
    private static final int FIRST_VLAN = 100;
    private static final int VLANS = 3;

    private final Random random;
    private final String nodes;
    private final List<String> names;

    /** A change as a client of RESTCONF sends it. */
    record Change(String method, String path, String document) {
        @Override
        public String toString() {
            return method + " " + path + (document.isEmpty() ? "" : " " + document.strip());
        }
    }

    /**
     * Changes that follow from a seed.
     *
     * @param nodes the announced nodes, as JSON
     * @param names of these nodes
     */
    ConflictingChanges(final long seed, final String nodes, final List<String> names) {
        random = new Random(seed);
        this.nodes = nodes;
        this.names = List.copyOf(names);
    }

    /** All lists. */
    Change allLists() {
        return new Change("PUT", Documents.ACLS, "{'ietf-access-control-list:acls': {'acl': [%s, %s]}}"
            .formatted(list("l0"), list("l1")));
    }

    /** Everything but tenants: the things that they share. */
    Change everything() {
        final String interfaces = String.join(",", names.stream().map(node -> uplink(node, 0)).toList());
        return new Change("PUT", Documents.NETWORK, """
            {'penstock:network': {'node': [%s, %s], 'backbone': {'interface': [%s],
             'route': [{'prefix': '0.0.0.0/0', 'next-hop': '192.0.2.1'}]},
             'pool': [%s, %s, %s], 'function': [%s, %s], 'chain': [%s, %s]}}""".formatted(
            nodes.substring(1, nodes.length() - 1), SPARE_NODE.formatted(SPARE_UPLINK), interfaces,
            "{'name': 'small', 'prefix': ['198.51.100.0/31']}", pool("p0"),
            "{'name': 'large', 'prefix': ['203.0.113.0/25']}",
            Documents.function("f0", names.get(0), "closed", true),
            Documents.function("f1", names.get(0), "closed", false), Documents.chain("c0", "f0"),
            Documents.chain("c1", "f0", "f1")));
    }

    /** Two or three changes, about the same thing more often than not. */
    List<Change> together() {
        final List<Change> changes = new ArrayList<>();
        final String tenant = any(TENANTS);
        final int kind = random.nextInt(10);
        final int number = 2 + random.nextInt(2);
        for (int index = 0; index < number; index++) {
            final Change change = switch (kind) {
                case 0, 1, 2 -> tenant();
                case 3 -> index == 0 ? tenant(tenant) : other();
                case 4 -> index == 0 ? remove("tenant", tenant) : tenant(tenant);
                case 5 -> index == 0 ? other() : tenant();
                default -> change();
            };
            changes.add(change);
        }
        return changes;
    }

    private Change change() {
        return switch (random.nextInt(6)) {
            case 0, 1, 2 -> tenant();
            case 3 -> remove("tenant", any(TENANTS));
            default -> other();
        };
    }

    /** A change of something that tenants share. */
    private Change other() {
        return switch (random.nextInt(14)) {
            case 0, 1 -> new Change("DELETE", Documents.ACLS + "/acl=" + any(LISTS), "");
            case 2 -> {
                final String name = any(LISTS);
                yield new Change("PUT", Documents.ACLS + "/acl=" + name,
                    "{'ietf-access-control-list:acl': [%s]}".formatted(list(name)));
            }
            case 3 -> remove("pool", any(List.of("small", "p0", "large")));
            case 4 -> put("pool", "p0", pool("p0"));
            case 5 -> put("pool", "small", "{'name': 'small', 'prefix': ['%s']%s%s}".formatted(
                any(List.of("198.51.100.0/31", "198.51.100.0/32", "198.51.100.0/30")),
                random.nextBoolean() ? ", 'drain': ['198.51.100.0/32']" : "",
                random.nextBoolean() ? ", 'force': true" : ""));
            case 6 -> remove("function", any(FUNCTIONS));
            case 7 -> {
                final String name = any(FUNCTIONS);
                yield put("function", name, function(name));
            }
            case 8 -> remove("chain", any(CHAINS));
            case 9 -> {
                final String name = any(CHAINS);
                yield put("chain", name, chain(name));
            }
            case 10 -> remove("node", SPARE);
            case 11 -> put("node", SPARE, SPARE_NODE.formatted(random.nextBoolean() ? SPARE_UPLINK : ""));
            case 12 -> new Change("PATCH", Documents.NETWORK, "{'penstock:network': {'backbone': {'interface': [%s]}}}"
                .formatted(uplink(any(List.of(names.get(0), SPARE)), random.nextInt(3))));
            // What the one needs comes with it.
            default -> new Change("PATCH", Documents.NETWORK, ("{'penstock:network': {'function': [%s], 'chain': [%s],"
                + " 'pool': [%s], 'tenant': [%s]}}").formatted(function(any(FUNCTIONS)), chain(any(CHAINS)),
                    pool("p0"), tenantEntry(any(TENANTS))));
        };
    }

    private Change tenant() {
        return tenant(any(TENANTS));
    }

    private Change tenant(final String name) {
        return put("tenant", name, tenantEntry(name));
    }

    private String tenantEntry(final String name) {
        final String node = random.nextInt(4) == 0 ? SPARE : any(names);
        final List<String> more = new ArrayList<>();
        more.add("'nat': {" + nat() + "}");
        if (random.nextInt(3) == 0) {
            more.add("'egress-acl': '" + any(LISTS) + "'");
        }
        if (random.nextInt(4) == 0) {
            more.add("'ingress-acl': '" + any(LISTS) + "'");
        }
        if (random.nextInt(4) == 0) {
            more.add("'chain': '" + any(CHAINS) + "'");
        } else if (random.nextInt(6) == 0) {
            more.add("'chain-rule': [{'name': 'r', 'priority': 1, 'acl': '%s', 'chain': '%s'}]".formatted(any(LISTS),
                any(CHAINS)));
        }
        if (random.nextInt(4) == 0) {
            more.add("'ipv6': {'subnet': [{'prefix': '" + any(PREFIXES6) + "'}]}");
        }
        return """
            {'name': '%s', 'attachment': [{'name': 'lan', 'node': '%s', 'port': 'acc0', 'vlan': %d}],
             'subnet': [{'name': 'lan', 'prefix': '10.0.0.0/24', 'gateway': '10.0.0.1'}], %s}"""
            .formatted(name, node, FIRST_VLAN + random.nextInt(VLANS), String.join(", ", more));
    }

    private String nat() {
        return switch (random.nextInt(9)) {
            case 0, 1 -> "'public-address': '" + any(ADDRESSES) + "'";
            case 2, 3 -> "'pool': 'small'";
            case 4 -> "'pool': 'p0'";
            case 5 -> "'pool': 'large'";
            case 6 -> "'one-to-one': [{'inside-prefix': '10.0.0.8/30', 'public-prefix': '" + any(PREFIXES) + "'}]";
            case 7 -> "'port-block': [{'inside-prefix': '10.0.0.0/25', 'public-prefix': '" + any(PREFIXES) + "'}]";
            default -> "'pool': 'small', 'twice': [{'seen-prefix': '10.9.0.0/30', 'outside-prefix': '"
                + any(PREFIXES) + "'}]";
        };
    }

    private String pool(final String name) {
        return "{'name': '%s', 'prefix': ['%s']}".formatted(name,
            any(List.of("198.18.0.0/31", "198.18.0.0/30", "198.18.0.0/29", "192.88.99.4/31")));
    }

    private String function(final String name) {
        return Documents.function(name, random.nextInt(8) == 0 ? SPARE : any(names), "closed",
            random.nextInt(3) != 0);
    }

    private String chain(final String name) {
        return random.nextInt(4) == 0 ? Documents.chain(name, "f0", "f1") : Documents.chain(name, any(FUNCTIONS));
    }

    /** With a deny entry it is no list for a chain rule. */
    private String list(final String name) {
        return ("{'name': '%s', 'aces': {'ace': [{'name': 'one', 'matches': {'ipv4': {'protocol': 17}}, 'actions':"
            + " {'forwarding': 'ietf-access-control-list:%s'}}]}}").formatted(name,
                random.nextInt(4) == 0 ? "drop" : "accept");
    }

    private String uplink(final String node, final int kind) {
        return "{'node': '%s', 'port': 'up0', 'prefix': '192.0.2.0/24', 'address': '192.0.2.%d'%s}".formatted(node,
            kind == 1 ? 3 : 2, kind == 2 ? ", 'egress-acl': '" + any(LISTS) + "'" : "");
    }

    private static Change put(final String list, final String name, final String entry) {
        return new Change("PUT", Documents.NETWORK + "/" + list + "=" + name, Documents.list(list, List.of(entry)));
    }

    private static Change remove(final String list, final String name) {
        return new Change("DELETE", Documents.NETWORK + "/" + list + "=" + name, "");
    }

    private String any(final List<String> some) {
        return some.get(random.nextInt(some.size()));
    }
}
