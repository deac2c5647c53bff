// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.ListSchemaNode;

/** Where something is in a body. The keys of an entry may come behind what is told of it. Not for several threads. */
final class Trail {
    private final @Nullable Trail outer;
    private final QName name;
    private final Map<String, @Nullable String> keys = new LinkedHashMap<>();

    private Trail(final @Nullable Trail outer, final QName name) {
        this.outer = outer;
        this.name = name;
    }

    /** A tree, whose name is not told. */
    static Trail tree(final QName name) {
        return new Trail(null, name);
    }

    /** A container. */
    Trail inside(final QName container) {
        return new Trail(this, container);
    }

    /** An entry of a list. */
    Trail entry(final ListSchemaNode list) {
        final Trail entry = new Trail(this, list.getQName());
        list.getKeyDefinition().forEach(key -> entry.keys.put(key.getLocalName(), null));
        return entry;
    }

    /** Tells the value of a leaf, if it is a key. */
    void learn(final String leaf, final String value) {
        keys.replace(leaf, value);
    }

    /** Names of keys that were not told. */
    List<String> unknownKeys() {
        return keys.entrySet().stream().filter(each -> each.getValue() == null).map(Map.Entry::getKey).toList();
    }

    /** The values of the keys that were told. */
    List<String> knownKeys() {
        return keys.values().stream().filter(Objects::nonNull).toList();
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
        return Stream.concat(Stream.of(name.getLocalName()), knownKeys().stream().map(TypeRules::shortened))
            .collect(Collectors.joining(" "));
    }

    /** The same place as an instance identifier (RFC 7951, section 6.11). */
    String path(final EffectiveModelContext context) {
        final boolean isQualified = outer == null || !outer.name.getModule().equals(name.getModule());
        final String module = context.findModule(name.getModule()).map(each -> each.getName() + ":").orElse("");
        return (outer == null ? "" : outer.path(context)) + "/" + (isQualified ? module : "") + name.getLocalName()
            + keys.entrySet().stream().filter(each -> each.getValue() != null)
                .map(each -> "[" + each.getKey() + "=" + quoted(TypeRules.shortened(each.getValue())) + "]")
                .collect(Collectors.joining());
    }

    private static String quoted(final String value) {
        return value.contains("'") ? "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\""
            : "'" + value + "'";
    }
}
