// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.net.Prefix;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The owners of IPv4 prefixes by name. A prefix may have several, and may overlap others. Not for several threads. */
final class PrefixOwners {
    /** Whose a prefix is. */
    record Owned(String owner, Prefix prefix) { }

    private final NavigableMap<Prefix, SortedSet<String>> owners = new TreeMap<>();

    void add(final String owner, final Prefix prefix) {
        owners.computeIfAbsent(prefix, key -> new TreeSet<>()).add(owner);
    }

    void remove(final String owner, final Prefix prefix) {
        owners.computeIfPresent(prefix, (key, names) -> {
            names.remove(owner);
            return names.isEmpty() ? null : names;
        });
    }

    /** A prefix that overlaps another one. */
    Optional<Owned> overlapping(final Prefix prefix) {
        // Prefixes nest or are apart: the first one that begins in it, or one of those that it is in.
        final Map.Entry<Prefix, SortedSet<String>> inside = owners.ceilingEntry(prefix);
        if (inside != null && prefix.contains(inside.getKey())) {
            return Optional.of(owned(inside.getKey(), inside.getValue()));
        }
        for (int length = prefix.length() - 1; length >= 0 && !owners.isEmpty(); length--) {
            final Prefix around = prefix.shortenedTo(length);
            final SortedSet<String> names = owners.get(around);
            if (names != null) {
                return Optional.of(owned(around, names));
            }
        }
        return Optional.empty();
    }

    private static Owned owned(final Prefix prefix, final SortedSet<String> names) {
        return new Owned(names.first(), prefix);
    }
}
