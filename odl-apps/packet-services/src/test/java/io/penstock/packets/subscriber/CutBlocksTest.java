// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.southbound.openflow.TrackedConnections;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
            Map.of("red", new TenantAllocation(VRF, Optional.empty(), Arrays.asList(blocks))));
    }

    private static Block block(final int subscriber, final int address, final int firstPort) {
        return new Block(new Ipv4(subscriber), new Ipv4(address), firstPort, 512);
    }

    private static TrackedConnections of(final int address) {
        return new TrackedConnections(VRF, Optional.of(new Ipv4(address)));
    }

    @Test
    void addressesOfLostBlocksAreNamedOnce() {
        final Allocations before =
            blocks(block(1, 100, 1024), block(2, 100, 1536), block(3, 101, 1024));
        assertThat(CutBlocks.between(before, blocks(block(3, 101, 1024)), NETWORK, RED))
            .isEqualTo(Map.of("edge1", Set.of(of(100))));
        assertThat(CutBlocks.between(before, blocks(block(3, 101, 1024), block(1, 100, 1024),
            block(2, 100, 1536), block(4, 102, 1024)), NETWORK, RED)).isEmpty();
    }

    @Test
    void ofManyAddressesTheWholeZoneIsNamed() {
        final Block[] many =
            IntStream.range(0, 17).mapToObj(index -> block(index, 100 + index, 1024)).toArray(Block[]::new);
        assertThat(CutBlocks.between(blocks(many), blocks(), NETWORK, RED))
            .isEqualTo(Map.of("edge1", Set.of(TrackedConnections.ofZone(VRF))));
    }

    @Test
    void aTenantThatGoesIsNotNamed() {
        final Allocations before = blocks(block(1, 100, 1024));
        assertThat(CutBlocks.between(before, blocks(), Snapshot.empty(), RED)).isEmpty();
        assertThat(CutBlocks.between(before, Allocations.none(), NETWORK, RED)).isEmpty();
    }
}
