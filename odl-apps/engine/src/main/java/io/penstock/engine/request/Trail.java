// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.request;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where something is in a body. The keys of an entry may come behind what is told of it. Not for several threads. */
final class Trail {
    private final @Nullable Trail outer;
    private final String name;
    private final Map<String, @Nullable String> keys = new LinkedHashMap<>();

    private Trail(final @Nullable Trail outer, final String name, final List<String> keys) {
        this.outer = outer;
        this.name = name;
        keys.forEach(key -> this.keys.put(key, null));
    }

    /** The top of a tree, which is not told. */
    static Trail top() {
        return new Trail(null, "", List.of());
    }

    /** A container. */
    Trail inside(final String container) {
        return new Trail(this, container, List.of());
    }

    /** An entry of a list, by the names of its keys. */
    Trail entry(final String list, final List<String> keyNames) {
        return new Trail(this, list, keyNames);
    }

    /** Tells the value of a leaf, if it is a key. */
    void learn(final String leaf, final String value) {
        keys.replace(leaf, TypeRules.shortened(value));
    }

    /** Names of keys that were not told. */
    List<String> unknownKeys() {
        return keys.entrySet().stream().filter(each -> each.getValue() == null).map(Map.Entry::getKey).toList();
    }

    /** A rule of a leaf here, in the words of the check at commit: entry, leaf and rule. */
    String tell(final String leaf, final String rule) {
        final List<String> places = new ArrayList<>();
        for (Trail each = this; each.outer != null; each = each.outer) {
            places.add(0, each.text());
        }
        places.add(leaf);
        final String owner = places.size() > 1 ? places.remove(0) : "network";
        return owner + ": " + String.join(" / ", places) + ": " + rule;
    }

    private String text() {
        return Stream.concat(Stream.of(name), keys.values().stream().filter(Objects::nonNull))
            .collect(Collectors.joining(" "));
    }
}
