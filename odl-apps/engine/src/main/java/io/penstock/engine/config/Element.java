// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.schema.ChoiceNode;
import org.opendaylight.yangtools.yang.data.api.schema.DataContainerNode;
import org.opendaylight.yangtools.yang.data.api.schema.LeafNode;
import org.opendaylight.yangtools.yang.data.api.schema.LeafSetNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.data.api.schema.UserMapNode;

/** A container or list entry of the datastore, read by local names; choices are looked through. */
final class Element {
    private final Optional<DataContainerNode> node;

    private Element(final Optional<DataContainerNode> node) {
        this.node = node;
    }

    /** An element that may be absent, and then has nothing in it. */
    static Element of(final Optional<NormalizedNode> node) {
        return new Element(node.filter(DataContainerNode.class::isInstance).map(DataContainerNode.class::cast));
    }

    boolean isPresent() {
        return node.isPresent();
    }

    /** A leaf as text. */
    Optional<String> leaf(final String name) {
        return find(name).filter(LeafNode.class::isInstance).map(leaf -> textOf(leaf.body()));
    }

    /** A leaf that the model or its key makes mandatory. */
    String text(final String name) {
        return leaf(name).orElseThrow(() -> new IllegalStateException("no leaf " + name));
    }

    /** Values of a leaf-list: in the user's order where the model says so, else sorted. */
    List<String> leafList(final String name, final boolean userOrder) {
        final List<String> values = new ArrayList<>();
        find(name).filter(LeafSetNode.class::isInstance).map(LeafSetNode.class::cast)
            .ifPresent(set -> ((Collection<?>) set.body())
                .forEach(entry -> values.add(textOf(((NormalizedNode) entry).body()))));
        if (!userOrder) {
            values.sort(Comparator.naturalOrder());
        }
        return values;
    }

    /** A container. */
    Element child(final String name) {
        return of(find(name));
    }

    /** Entries of a list: in the user's order where the model says so, else sorted by their first key. */
    List<Element> list(final String name, final String key) {
        final List<Element> entries = new ArrayList<>();
        final Optional<NormalizedNode> found = find(name);
        found.filter(MapNode.class::isInstance).map(MapNode.class::cast)
            .ifPresent(map -> map.body().forEach(entry -> entries.add(new Element(Optional.of(entry)))));
        if (!found.filter(UserMapNode.class::isInstance).isPresent()) {
            entries.sort(Comparator.comparing(entry -> entry.text(key)));
        }
        return entries;
    }

    /** Entries of a list as they are, in no order. */
    Collection<? extends NormalizedNode> entries(final String name) {
        return find(name).filter(MapNode.class::isInstance).map(MapNode.class::cast).map(MapNode::body)
            .orElse(List.of());
    }

    /** Paths of all leaves below, such as {@code ipv4/protocol}. */
    List<String> leafPaths() {
        final List<String> paths = new ArrayList<>();
        node.ifPresent(container -> collect(container, "", paths));
        return paths;
    }

    private static void collect(final DataContainerNode container, final String prefix, final List<String> paths) {
        for (final NormalizedNode each : container.body()) {
            final String name = each.getIdentifier().getNodeType().getLocalName();
            if (each instanceof ChoiceNode choice) {
                collect(choice, prefix, paths);
            } else if (each instanceof DataContainerNode inner) {
                collect(inner, prefix + name + "/", paths);
            } else {
                paths.add(prefix + name);
            }
        }
    }

    private Optional<NormalizedNode> find(final String name) {
        return node.flatMap(container -> find(container, name));
    }

    private static Optional<NormalizedNode> find(final DataContainerNode container, final String name) {
        for (final NormalizedNode each : container.body()) {
            if (each instanceof ChoiceNode choice) {
                final Optional<NormalizedNode> inside = find(choice, name);
                if (inside.isPresent()) {
                    return inside;
                }
            } else if (each.getIdentifier().getNodeType().getLocalName().equals(name)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    private static String textOf(final Object value) {
        return value instanceof QName name ? name.getLocalName() : value.toString();
    }
}
