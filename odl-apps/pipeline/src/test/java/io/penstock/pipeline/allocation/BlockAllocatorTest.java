// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.Place;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("safety")
class BlockAllocatorTest {
    private static final Ipv4 INSIDE = Ipv4.parse("10.0.0.0");
    private static final Ipv4 OUTSIDE = Ipv4.parse("198.51.100.4");

    private static Tenant.PortBlocks mapping(final int size, final int most) {
        return new Tenant.PortBlocks(new Prefix(INSIDE, 24), new Prefix(OUTSIDE, 31), size, most);
    }

    @Test
    void theFirstIsOfTheAddressWithMostLeft() {
        final Tenant.PortBlocks mapping = mapping(512, 4);
        final List<Block> taken = new ArrayList<>();
        for (int subscriber = 0; subscriber < 4; subscriber++) {
            taken.add(BlockAllocator.give(mapping, taken, Set.of(), INSIDE.plus(subscriber)).orElseThrow());
        }
        assertThat(taken).containsExactly(new Block(INSIDE, OUTSIDE, 1024, 512),
            new Block(INSIDE.plus(1), OUTSIDE.plus(1), 1024, 512), new Block(INSIDE.plus(2), OUTSIDE, 1536, 512),
            new Block(INSIDE.plus(3), OUTSIDE.plus(1), 1536, 512));
    }

    @Test
    void othersAreOfTheSameAddressAndNotBeyondTheMost() {
        final Tenant.PortBlocks mapping = mapping(16384, 3);
        final Block first = new Block(INSIDE, OUTSIDE.plus(1), 16384, 16384);
        assertThat(mapping.blocksOfAddress()).isEqualTo(3);
        final Block second = BlockAllocator.give(mapping, List.of(first), Set.of(), INSIDE).orElseThrow();
        assertThat(second).isEqualTo(new Block(INSIDE, OUTSIDE.plus(1), 32768, 16384));
        final Block third = BlockAllocator.give(mapping, List.of(first, second), Set.of(), INSIDE).orElseThrow();
        assertThat(BlockAllocator.give(mapping, List.of(first, second, third), Set.of(), INSIDE)).isEmpty();
        // The other address has room, but this is not it.
        assertThat(BlockAllocator.give(mapping, List.of(first, new Block(INSIDE.plus(1), OUTSIDE.plus(1), 32768, 16384),
            new Block(INSIDE.plus(2), OUTSIDE.plus(1), 49152, 16384)), Set.of(), INSIDE)).isEmpty();
    }

    @Test
    void whatRestsIsNotGiven() {
        final Tenant.PortBlocks mapping = mapping(16384, 1);
        final Set<Place> resting = Set.of(new Place(OUTSIDE, 16384), new Place(OUTSIDE.plus(1), 16384),
            new Place(OUTSIDE.plus(1), 32768));
        assertThat(BlockAllocator.give(mapping, List.of(), resting, INSIDE))
            .contains(new Block(INSIDE, OUTSIDE, 32768, 16384));
    }

    @Test
    void nobodyEverSharesAPort() {
        final Random random = new Random(1);
        for (final int size : new int[] {16, 512, 1024, 4096, 16384}) {
            final Tenant.PortBlocks mapping = mapping(size, 4);
            final List<Block> taken = new ArrayList<>();
            for (int step = 0; step < 2000; step++) {
                if (random.nextInt(3) == 0 && !taken.isEmpty()) {
                    final Ipv4 gone = taken.get(random.nextInt(taken.size())).subscriber();
                    taken.removeIf(block -> block.subscriber().equals(gone));
                }
                final Optional<Block> given =
                    BlockAllocator.give(mapping, taken, Set.of(), INSIDE.plus(random.nextInt(256)));
                given.ifPresent(block -> {
                    assertThat(block.isOf(mapping)).isTrue();
                    assertThat(block.firstPort()).isGreaterThanOrEqualTo(1024);
                    assertThat(block.firstPort() + size).isLessThanOrEqualTo(65536);
                    taken.add(block);
                });
            }
            assertThat(taken.stream().map(Block::place)).doesNotHaveDuplicates();
            taken.stream().collect(Collectors.groupingBy(Block::subscriber)).values().forEach(own -> {
                assertThat(own).hasSizeLessThanOrEqualTo(4);
                assertThat(own.stream().map(Block::address).distinct()).hasSize(1);
            });
        }
    }

    @Test
    void aChangeOfTheConfigurationKeepsWhatStillFits() {
        final Block block = new Block(INSIDE.plus(1), OUTSIDE, 1024, 512);
        final Tenant tenant = tenant(mapping(512, 4));
        assertThat(BlockAllocator.kept(tenant, List.of(block))).containsExactly(block);
        assertThat(BlockAllocator.kept(tenant(mapping(256, 4)), List.of(block))).isEmpty();
        assertThat(BlockAllocator.kept(tenant(new Tenant.PortBlocks(new Prefix(INSIDE, 24),
            new Prefix(OUTSIDE.plus(1), 32), 512, 4)), List.of(block))).isEmpty();
    }

    private static Tenant tenant(final Tenant.PortBlocks mapping) {
        return new Tenant("t", List.of(), List.of(), List.of(), Optional.of(new Tenant.Nat(Optional.empty(),
            Optional.empty(), List.of(), List.of(), List.of(mapping), List.of(), Set.of())), Optional.empty(),
            Optional.empty());
    }
}
