// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

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
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.TypeAware;

/**
 * A container or list entry of the datastore, read by local names; choices are looked through. A leaf that is not there
 * has the default of the model.
 */
final class Element {
    private final Optional<DataContainerNode> node;
    private final DataNodeContainer model;

    private Element(final Optional<DataContainerNode> node, final DataNodeContainer model) {
        this.node = node;
        this.model = model;
    }

    /**
     * An element that may be absent, and then has defaults alone in it.
     *
     * @param model what the model says of it
     */
    static Element of(final Optional<NormalizedNode> node, final DataNodeContainer model) {
        return new Element(node.filter(DataContainerNode.class::isInstance).map(DataContainerNode.class::cast), model);
    }

    boolean isPresent() {
        return node.isPresent();
    }

    /** Whether a leaf is there itself, not by its default. */
    boolean has(final String name) {
        return find(name).isPresent();
    }

    /** A leaf as text. */
    Optional<String> leaf(final String name) {
        final Optional<NormalizedNode> leaf = find(name);
        return leaf.isPresent() ? leaf.filter(LeafNode.class::isInstance).map(each -> textOf(each.body()))
            : modelOf(name) instanceof TypeAware typed ? typed.getType().getDefaultValue().map(Object::toString)
            : Optional.empty();
    }

    /** A leaf that is a key, or has a default. */
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
        return of(find(name), container(name));
    }

    /** Entries of a list: in the user's order where the model says so, else sorted by their first key. */
    List<Element> list(final String name, final String key) {
        final List<Element> entries = new ArrayList<>();
        final Optional<NormalizedNode> found = find(name);
        final DataNodeContainer entryModel = container(name);
        found.filter(MapNode.class::isInstance).map(MapNode.class::cast)
            .ifPresent(map -> map.body().forEach(entry -> entries.add(new Element(Optional.of(entry), entryModel))));
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

    /** One of these entries. */
    Element entry(final String name, final NormalizedNode entry) {
        return of(Optional.of(entry), container(name));
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

    private DataNodeContainer container(final String name) {
        return (DataNodeContainer) modelOf(name);
    }

    private DataSchemaNode modelOf(final String name) {
        // All that is read has the namespace of what it is in.
        final QName known = ((DataSchemaNode) model).getQName();
        return model.findDataTreeChild(QName.create(known, name))
            .orElseThrow(() -> new IllegalArgumentException("the model has no " + name + " in " + known));
    }

    private static String textOf(final Object value) {
        return value instanceof QName name ? name.getLocalName() : value.toString();
    }
}
