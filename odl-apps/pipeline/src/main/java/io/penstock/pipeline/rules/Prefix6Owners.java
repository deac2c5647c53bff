// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Which tenant of a node has an IPv6 prefix: each is routed, so it is one tenant's only. Not for several threads. */
final class Prefix6Owners {
    /** Whose a prefix is. */
    record Owned(String tenant, Prefix6 prefix) { }

    private static final NavigableMap<Ipv6, Owned> NONE = Collections.emptyNavigableMap();

    /** By node, then by first address; those of different tenants do not overlap. */
    private final Map<String, NavigableMap<Ipv6, Owned>> owners = new HashMap<>();

    /** Gives a tenant a prefix, unless one of another tenant overlaps it, which is the answer then. */
    Optional<Owned> claim(final Tenant tenant, final Prefix6 prefix) {
        final Optional<Owned> other = other(tenant, prefix);
        if (other.isEmpty()) {
            // Of two that begin alike the longer reach counts.
            owners.computeIfAbsent(node(tenant), name -> new TreeMap<>()).merge(prefix.address(),
                new Owned(tenant.name(), prefix),
                (known, now) -> known.prefix().length() > prefix.length() ? now : known);
        }
        return other;
    }

    /** Takes all its prefixes from a tenant. */
    void release(final Tenant tenant) {
        if (!tenant.ipv6().insidePrefixes().isEmpty()) {
            owners.computeIfPresent(node(tenant), (node, ofNode) -> {
                tenant.ipv6().insidePrefixes().forEach(prefix -> ofNode.computeIfPresent(prefix.address(),
                    (address, owned) -> owned.tenant().equals(tenant.name()) ? null : owned));
                return ofNode.isEmpty() ? null : ofNode;
            });
        }
    }

    /** The prefix of another tenant of the node that overlaps a prefix. */
    private Optional<Owned> other(final Tenant tenant, final Prefix6 prefix) {
        final NavigableMap<Ipv6, Owned> ofNode = owners.getOrDefault(node(tenant), NONE);
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

    private static String node(final Tenant tenant) {
        return tenant.attachments().isEmpty() ? "" : tenant.attachments().get(0).node();
    }
}
