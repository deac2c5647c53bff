// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Which tenant of a node has an IPv6 prefix: each is routed, so it is one tenant's only. Not for several threads. */
final class Prefix6Owners {
    /** Whose a prefix is. */
    record Owned(String tenant, Prefix6 prefix) { }

    /** By node, then by first address; those of different tenants do not overlap. */
    private final Map<String, NavigableMap<Ipv6, Owned>> owners = new HashMap<>();

    /** Gives a tenant all its prefixes that no other tenant has. */
    void note(final Tenant tenant) {
        for (final Prefix6 prefix : tenant.ipv6().insidePrefixes()) {
            final NavigableMap<Ipv6, Owned> ofNode = of(tenant);
            final Owned known = ofNode.get(prefix.address());
            // Of two that begin alike the longer reach counts.
            if (other(tenant, prefix).isEmpty() && (known == null || known.prefix().length() > prefix.length())) {
                ofNode.put(prefix.address(), new Owned(tenant.name(), prefix));
            }
        }
    }

    /** The prefix of another tenant of the node that overlaps a prefix. */
    Optional<Owned> other(final Tenant tenant, final Prefix6 prefix) {
        final NavigableMap<Ipv6, Owned> ofNode = of(tenant);
        // Those that begin inside it, and the ones that begin before and may reach into it: prefixes nest or are apart.
        final Optional<Owned> inside = ofNode.subMap(prefix.address(), true, prefix.last(), true).values().stream()
            .filter(owned -> !owned.tenant().equals(tenant.name())).findFirst();
        return inside.or(() -> {
            for (int length = prefix.length() - 1; length >= 0; length--) {
                final Owned owned = ofNode.get(prefix.address().and(Ipv6.mask(length)));
                if (owned != null && owned.prefix().contains(prefix) && !owned.tenant().equals(tenant.name())) {
                    return Optional.of(owned);
                }
            }
            return Optional.empty();
        });
    }

    private NavigableMap<Ipv6, Owned> of(final Tenant tenant) {
        final String node = tenant.attachments().isEmpty() ? "" : tenant.attachments().get(0).node();
        return owners.computeIfAbsent(node, name -> new TreeMap<>());
    }
}
