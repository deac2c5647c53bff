// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.southbound.openflow.TrackedConnections;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CutBlocksTest {
    private static final int VRF = 7;
    private static final Snapshot NETWORK = Snapshot.of(List.of(), Backbone.NONE, List.of(), List.of(), List.of(),
        List.of(new Tenant("red", List.of(new Tenant.Attachment("lan", "edge1", "acc0", 100)), List.of(), List.of(),
            Optional.empty(), Optional.empty(), Optional.empty())), List.of());

    private static final Set<String> RED = Set.of("red");

    private static Allocations blocks(final Block... blocks) {
        return new Allocations(VRF, new TreeMap<>(), new TreeMap<>(),
            Map.of("red", new TenantAllocation(VRF, 0, Arrays.asList(blocks))));
    }

    private static TrackedConnections of(final long address) {
        return new TrackedConnections(VRF, OptionalLong.of(address));
    }

    @Test
    void addressesOfLostBlocksAreNamedOnce() {
        final Allocations before =
            blocks(new Block(1, 100, 1024, 512), new Block(2, 100, 1536, 512), new Block(3, 101, 1024, 512));
        assertThat(CutBlocks.between(before, blocks(new Block(3, 101, 1024, 512)), NETWORK, RED))
            .isEqualTo(Map.of("edge1", Set.of(of(100))));
        assertThat(CutBlocks.between(before, blocks(new Block(3, 101, 1024, 512), new Block(1, 100, 1024, 512),
            new Block(2, 100, 1536, 512), new Block(4, 102, 1024, 512)), NETWORK, RED)).isEmpty();
    }

    @Test
    void ofManyAddressesTheWholeZoneIsNamed() {
        final Block[] many =
            IntStream.range(0, 17).mapToObj(index -> new Block(index, 100 + index, 1024, 512)).toArray(Block[]::new);
        assertThat(CutBlocks.between(blocks(many), blocks(), NETWORK, RED))
            .isEqualTo(Map.of("edge1", Set.of(TrackedConnections.ofZone(VRF))));
    }

    @Test
    void aTenantThatGoesIsNotNamed() {
        final Allocations before = blocks(new Block(1, 100, 1024, 512));
        assertThat(CutBlocks.between(before, blocks(), Snapshot.empty(), RED)).isEmpty();
        assertThat(CutBlocks.between(before, Allocations.none(), NETWORK, RED)).isEmpty();
    }
}
