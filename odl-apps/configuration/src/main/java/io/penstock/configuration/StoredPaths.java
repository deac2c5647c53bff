// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.schema.AugmentationNode;
import org.opendaylight.yangtools.yang.data.api.schema.ChoiceNode;
import org.opendaylight.yangtools.yang.data.api.schema.LeafSetEntryNode;
import org.opendaylight.yangtools.yang.data.api.schema.LeafSetNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNodeContainer;
import org.opendaylight.yangtools.yang.data.api.schema.UnkeyedListNode;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeCandidateNode;
import org.opendaylight.yangtools.yang.data.tree.api.ModificationType;

/** The paths of data that a change stores, as the models have them: without choices, and each list once. */
final class StoredPaths {
    private final Set<List<QName>> found = new LinkedHashSet<>();

    private StoredPaths() {
        // By of alone.
    }

    /** Those of a change at the root of the datastore; what it removes has none. */
    static Set<List<QName>> of(final DataTreeCandidateNode root) {
        final StoredPaths paths = new StoredPaths();
        root.getChildNodes().forEach(child -> paths.change(child, List.of()));
        return paths.found;
    }

    private void change(final DataTreeCandidateNode node, final List<QName> above) {
        final ModificationType type = node.getModificationType();
        if (type == ModificationType.UNMODIFIED || node.getDataAfter().isEmpty()) {
            return;
        }
        final NormalizedNode after = node.getDataAfter().orElseThrow();
        if (type == ModificationType.WRITE) {
            stored(after, above);
        } else {
            final List<QName> path = path(after, above);
            node.getChildNodes().forEach(child -> change(child, path));
        }
    }

    private void stored(final NormalizedNode node, final List<QName> above) {
        final List<QName> path = path(node, above);
        if (!path.equals(above)) {
            found.add(path);
        }
        if (node instanceof NormalizedNodeContainer<?> container && !(node instanceof LeafSetNode)) {
            final Collection<? extends NormalizedNode> children = container.body();
            children.forEach(child -> stored(child, path));
        }
    }

    /** A list, a choice and an augmentation are no step of a path; the entries of a list are. */
    private static List<QName> path(final NormalizedNode node, final List<QName> above) {
        if (node instanceof ChoiceNode || node instanceof AugmentationNode || node instanceof MapNode
                || node instanceof UnkeyedListNode) {
            return above;
        }
        // A change may end in one entry of a leaf-list, below the leaf-list.
        final QName name = node.getIdentifier().getNodeType();
        if (node instanceof LeafSetEntryNode && !above.isEmpty() && above.get(above.size() - 1).equals(name)) {
            return above;
        }
        final List<QName> path = new ArrayList<>(above);
        path.add(name);
        return List.copyOf(path);
    }
}
