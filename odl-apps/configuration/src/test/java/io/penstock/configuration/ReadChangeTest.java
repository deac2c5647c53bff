// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Snapshot;
import java.io.IOException;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifier;
import org.opendaylight.yangtools.yang.data.api.schema.ContainerNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapEntryNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.data.tree.api.DataTree;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeCandidateTip;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeConfiguration;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeModification;
import org.opendaylight.yangtools.yang.data.tree.api.DataValidationFailedException;
import org.opendaylight.yangtools.yang.data.tree.impl.di.InMemoryDataTreeFactory;

/** What is read of a change in a real data tree is the configuration after it, and what stays is the same object. */
class ReadChangeTest {
    private static final QName TENANT = QName.create(Network.QNAME, "tenant");
    private static final YangInstanceIdentifier NETWORK = YangInstanceIdentifier.of(Network.QNAME);
    private static final YangInstanceIdentifier TENANTS = NETWORK.node(TENANT);

    private final DataTree tree = new InMemoryDataTreeFactory().create(DataTreeConfiguration.DEFAULT_CONFIGURATION,
        NetworkReaderTest.MODELS);
    private final NetworkReader reader = NetworkReaderTest.reader();
    private final Random random = new Random(3);

    @Test
    void aChangeIsReadAsTheWholeIs() throws Exception {
        Snapshot last = read(change(edit -> edit.merge(NETWORK, network(0, 1)), true));
        for (int round = 0; round < 400; round++) {
            final boolean commits = random.nextInt(4) > 0;
            final Snapshot now = read(change(this::edit, commits));
            if (commits) {
                final Snapshot whole = NetworkReaderTest.reader().read(tree.takeSnapshot().readNode(NETWORK),
                    Optional.empty());
                assertThat(now).isEqualTo(whole);
                for (int node = 0; node < 3; node++) {
                    assertThat(now.tenantsOn("edge" + node)).isEqualTo(whole.tenantsOn("edge" + node));
                }
                final Snapshot before = last;
                assertThat(now.tenantsDifferingFrom(before).size()).isLessThanOrEqualTo(4);
                last = now;
            } else if (random.nextBoolean()) {
                // A change that was refused: the next one is of the configuration before it.
                assertThat(reader.read(tree.takeSnapshot().readNode(NETWORK), Optional.empty())).isSameAs(last);
            }
        }
    }

    private void edit(final DataTreeModification edit) {
        for (int number = 0; number <= random.nextInt(3); number++) {
            final int tenant = random.nextInt(20);
            final MapEntryNode entry = ((MapNode) network(tenant, random.nextInt(100))
                .getChildByArg(NodeIdentifier.create(TENANT))).body().iterator().next();
            switch (random.nextInt(5)) {
                case 0 -> edit.delete(TENANTS.node(entry.getIdentifier()));
                case 1 -> edit.merge(TENANTS.node(entry.getIdentifier()), entry);
                case 2 -> edit.merge(NETWORK, chain(random.nextInt(3)));
                default -> edit.write(TENANTS.node(entry.getIdentifier()), entry);
            }
        }
    }

    private static ContainerNode network(final int tenant, final int value) {
        return parse("""
            {"penstock:network": {"tenant": [{"name": "t%d", "attachment": [
              {"name": "a", "node": "edge%d", "port": "acc0", "vlan": %d}]}]}}"""
            .formatted(tenant, value % 3, 1 + value));
    }

    private static ContainerNode chain(final int number) {
        return parse("""
            {"penstock:network": {"chain": [{"name": "c%d", "function": ["f"]}]}}""".formatted(number));
    }

    private static ContainerNode parse(final String json) {
        try {
            return (ContainerNode) NetworkReaderTest.parse(json);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private DataTreeCandidateTip change(final Consumer<DataTreeModification> edit, final boolean commits)
            throws DataValidationFailedException {
        final DataTreeModification modification = tree.takeSnapshot().newModification();
        edit.accept(modification);
        modification.ready();
        tree.validate(modification);
        final DataTreeCandidateTip candidate = tree.prepare(modification);
        if (commits) {
            tree.commit(candidate);
        }
        return candidate;
    }

    private Snapshot read(final DataTreeCandidateTip candidate) throws UnreadableException {
        final Optional<NormalizedNode> none = Optional.empty();
        return reader.read(candidate.getRootNode().getModifiedChild(NETWORK.getLastPathArgument()).orElseThrow(), none);
    }
}
