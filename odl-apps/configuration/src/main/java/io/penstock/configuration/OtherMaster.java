// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.pipeline.allocation.Allocations;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opendaylight.mdsal.binding.api.ClusteredDataTreeChangeListener;
import org.opendaylight.mdsal.binding.api.DataObjectModification;
import org.opendaylight.mdsal.binding.api.DataTreeModification;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Node;

/**
 * What a member that stands by has to know of the master.
 *
 * @param epoch of its mastership
 * @param nodes numbers of nodes and the secret of their datapath ids; nothing else is there
 */
public record OtherMaster(long epoch, Allocations nodes) {
    /** Hears of allocations, wherever in the cluster they change, and tells of what differs here. For one thread. */
    static final class Follower implements ClusteredDataTreeChangeListener<
            org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations> {
        private final Consumer<OtherMaster> listener;
        private @Nullable SortedMap<String, Integer> nodes;
        private @Nullable OtherMaster told;

        Follower(final Consumer<OtherMaster> listener) {
            this.listener = listener;
        }

        @Override
        public void onDataTreeChanged(final Collection<DataTreeModification<
                org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations>> changes) {
            changes.forEach(change -> changed(change.getRootNode()));
        }

        private void changed(final DataObjectModification<
                org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations> change) {
            final var after = change.getDataAfter();
            if (after == null || after.getMastership() == null || after.getMastership().getEpoch() == null) {
                return;
            }
            // A lease changes neither, and comes a hundred times a second.
            if (nodes == null || change.getModificationType() == DataObjectModification.ModificationType.WRITE
                    || change.getModifiedChildren().stream().anyMatch(child -> child.getDataType() == Node.class)) {
                nodes = AllocationCodec.nodes(after);
            }
            final OtherMaster now = new OtherMaster(after.getMastership().getEpoch().longValue(), new Allocations(0,
                nodes, new TreeMap<>(), Map.of(), new TreeMap<>(),
                Optional.ofNullable(after.getSwitchSecret()).orElse(""), 0, 0));
            if (!now.equals(told)) {
                told = now;
                listener.accept(now);
            }
        }
    }
}
