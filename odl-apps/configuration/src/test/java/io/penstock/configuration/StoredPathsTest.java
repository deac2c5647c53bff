// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifier;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifierWithPredicates;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeWithValue;
import org.opendaylight.yangtools.yang.data.api.schema.ContainerNode;
import org.opendaylight.yangtools.yang.data.impl.schema.Builders;
import org.opendaylight.yangtools.yang.data.impl.schema.ImmutableNodes;
import org.opendaylight.yangtools.yang.data.tree.spi.DataTreeCandidateNodes;

/** The paths that a change stores. */
class StoredPathsTest {
    private static QName name(final String local) {
        return QName.create("urn:penstock:sample", "2026-01-01", local);
    }

    private static NodeIdentifier id(final String local) {
        return new NodeIdentifier(name(local));
    }

    /** A list with a leaf, a choice with a leaf-list, below a container. */
    private static ContainerNode network() {
        return Builders.containerBuilder().withNodeIdentifier(id("network")).withChild(
            Builders.mapBuilder().withNodeIdentifier(id("pool")).withChild(
                Builders.mapEntryBuilder()
                    .withNodeIdentifier(NodeIdentifierWithPredicates.of(name("pool"), name("name"), "red"))
                    .withChild(ImmutableNodes.leafNode(name("name"), "red"))
                    .withChild(Builders.choiceBuilder().withNodeIdentifier(id("kind")).withChild(
                        Builders.leafSetBuilder().withNodeIdentifier(id("drain")).withChild(
                            Builders.leafSetEntryBuilder()
                                .withNodeIdentifier(new NodeWithValue<>(name("drain"), "x")).withValue("x").build())
                            .build()).build())
                    .build()).build()).build();
    }

    private static Set<String> names(final Set<List<QName>> paths) {
        return paths.stream().map(path -> path.stream().map(QName::getLocalName).collect(Collectors.joining("/")))
            .collect(Collectors.toSet());
    }

    @Test
    void choicesAreNoPartOfAPathAndEachListIsOnce() {
        final ContainerNode root = Builders.containerBuilder().withNodeIdentifier(id("data")).withChild(network())
            .build();
        assertThat(names(StoredPaths.of(DataTreeCandidateNodes.written(root)))).containsExactlyInAnyOrder("network",
            "network/pool", "network/pool/name", "network/pool/drain");
    }

    @Test
    void aChangeThatLeavesAllAsItIsStoresNothing() {
        final ContainerNode root = Builders.containerBuilder().withNodeIdentifier(id("data")).withChild(network())
            .build();
        assertThat(StoredPaths.of(DataTreeCandidateNodes.unmodified(root))).isEmpty();
    }
}
