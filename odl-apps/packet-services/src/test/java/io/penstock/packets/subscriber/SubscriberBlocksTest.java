// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.grant.VrfLookup;
import io.penstock.events.PoolEvent;
import io.penstock.events.PoolEvent.Kind;
import io.penstock.events.PoolEvent.OfPortBlock;
import io.penstock.packets.subscriber.BlockRequests.Request;
import io.penstock.packets.subscriber.SubscriberBlocks.Holder;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.testkit.ManualClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One public address of two blocks; subscribers may have two. */
@Tag("safety")
class SubscriberBlocksTest {
    private static final Ipv4 ADDRESS = Ipv4.parse("203.0.113.1");
    private static final Ipv4 FIRST = Ipv4.parse("10.0.0.5");
    private static final Ipv4 SECOND = Ipv4.parse("10.0.0.6");
    private static final VrfId VRF = new VrfId(7);
    private static final SwitchId NODE = new SwitchId(Constants.datapathId(1, ""));
    private static final SwitchId OTHER = new SwitchId(Constants.datapathId(2, ""));

    private final List<PoolEvent> told = new ArrayList<>();
    private final ManualClock clock = new ManualClock(Instant.EPOCH);
    private final SubscriberBlocks blocks = new SubscriberBlocks(clock, new VrfLookup(), told::add);
    private final Snapshot snapshot = snapshot();

    private static Snapshot snapshot() {
        final Tenant.Nat nat = new Tenant.Nat(Optional.empty(), Optional.empty(), List.of(), List.of(),
            List.of(new Tenant.PortBlocks(Prefix.parse("10.0.0.0/29"), Prefix.host(ADDRESS), 16384, 2)), List.of(),
            Set.of());
        return Snapshot.of(List.of(), Backbone.NONE, List.of(), List.of(), List.of(), List.of(new Tenant("red",
            List.of(new Tenant.Attachment("lan", "edge1", "acc0", 1)), List.of(), List.of(), Optional.of(nat),
            Optional.empty(), Optional.empty())), List.of());
    }

    private static Allocations having(final Block... given) {
        return new Allocations(VRF.number(), new TreeMap<>(Map.of("edge1", 1, "edge2", 2)), new TreeMap<>(),
            Map.of("red", new TenantAllocation(VRF.number(), Optional.empty(), List.of(given))));
    }

    private static Block block(final Ipv4 subscriber, final int number) {
        return new Block(subscriber, ADDRESS, 16384 * number, 16384);
    }

    private List<Block> give(final Allocations before, final Request... requests) {
        return blocks.give(snapshot, before, Set.of(requests)).tenants().get("red").blocks();
    }

    @Test
    void whoAsksGetsWhatIsFree() {
        assertThat(give(having(), new Request(NODE, VRF, FIRST, 0))).containsExactly(block(FIRST, 1));
        assertThat(give(having(block(FIRST, 1)), new Request(NODE, VRF, SECOND, 0), new Request(NODE, VRF, FIRST, 1)))
            .hasSize(3).contains(block(FIRST, 1)).extracting(Block::firstPort).doesNotHaveDuplicates();
        assertThat(give(having(block(FIRST, 1), block(FIRST, 2), block(SECOND, 3)), new Request(NODE, VRF, SECOND, 1)))
            .hasSize(3);
    }

    @Test
    void nothingChangesFor() {
        final Allocations had = having(block(FIRST, 1));
        assertThat(blocks.give(snapshot, had, Set.of())).isSameAs(had);
        // A packet that was under way when the first block came, somebody who is no subscriber, and no VRF of ours.
        assertThat(blocks.give(snapshot, had, Set.of(new Request(NODE, VRF, FIRST, 0),
            new Request(NODE, VRF, Ipv4.parse("10.0.0.8"), 0),
            new Request(NODE, new VrfId(8), SECOND, 0)))).isSameAs(had);
        // As many as it may have.
        final Allocations full = having(block(FIRST, 1), block(FIRST, 2));
        assertThat(blocks.give(snapshot, full, Set.of(new Request(NODE, VRF, FIRST, 2)))).isSameAs(full);
    }

    @Test
    void aNodeGetsBlocksForItsOwnTenantsAlone() {
        final Allocations had = having();
        assertThat(blocks.give(snapshot, had, Set.of(new Request(OTHER, VRF, FIRST, 0),
            new Request(new SwitchId(1), VRF, SECOND, 0)))).isSameAs(had);
    }

    @Test
    void aShortageIsToldOnceAndSoIsItsEnd() {
        final OfPortBlock owner = new OfPortBlock("red", Prefix.parse("10.0.0.0/29"));
        final Allocations full = having(block(FIRST, 1), block(FIRST, 2), block(FIRST.plus(2), 3));
        for (int packet = 0; packet < 5; packet++) {
            give(full, new Request(NODE, VRF, SECOND, 0), new Request(NODE, VRF, FIRST.plus(2), 1));
            clock.pass(60);
        }
        assertThat(told).containsExactly(new PoolEvent(Kind.EXHAUSTED, owner, Optional.empty(), 3, 3));
        blocks.give(snapshot, having(), Set.of());
        assertThat(told).as("it would come and go").hasSize(1);
        clock.pass(300);
        blocks.give(snapshot, having(block(FIRST, 1)), Set.of());
        blocks.give(snapshot, having(block(FIRST, 1)), Set.of());
        assertThat(told).hasSize(2).endsWith(new PoolEvent(Kind.AVAILABLE, owner, Optional.empty(), 1, 3));
    }

    @Test
    void theEndIsToldAlsoIfTheSubscriberGotTheLastBlockBeforeThat() {
        final Request second = new Request(NODE, VRF, SECOND, 0);
        give(having(block(FIRST, 1), block(FIRST, 2), block(FIRST.plus(2), 3)), second);
        clock.pass(60);
        assertThat(give(having(block(FIRST, 1), block(FIRST.plus(2), 3)), second)).contains(block(SECOND, 2));
        clock.pass(600);
        final Allocations full = having(block(FIRST, 1), block(SECOND, 2), block(FIRST.plus(2), 3));
        blocks.give(snapshot, full, Set.of());
        assertThat(told).extracting(PoolEvent::kind).containsExactly(Kind.EXHAUSTED, Kind.AVAILABLE);
    }

    @Test
    void anEndThatDidNotLastIsNotTold() {
        final Request second = new Request(NODE, VRF, SECOND, 0);
        final Allocations full = having(block(FIRST, 1), block(FIRST, 2), block(FIRST.plus(2), 3));
        give(full, second);
        clock.pass(60);
        blocks.give(snapshot, having(block(FIRST, 1), block(FIRST.plus(2), 3)), Set.of());
        give(full, second);
        clock.pass(600);
        blocks.give(snapshot, full, Set.of());
        assertThat(told).extracting(PoolEvent::kind).containsExactly(Kind.EXHAUSTED);
    }

    @Test
    void aSubscriberWithAsManyBlocksAsItMayHaveIsNoShortage() {
        give(having(block(FIRST, 1), block(FIRST, 2)), new Request(NODE, VRF, FIRST, 2));
        assertThat(told).isEmpty();
    }

    @Test
    void whatWasTakenRests() {
        final Allocations had = having(block(FIRST, 1), block(FIRST, 2), block(SECOND, 3));
        assertThat(blocks.take(had, Set.of(new Holder("red", Ipv4.parse("10.0.0.1"))))).isSameAs(had);
        final Allocations left = blocks.take(had, Set.of(new Holder("red", FIRST)));
        assertThat(left.tenants().get("red").blocks()).containsExactly(block(SECOND, 3));
        assertThat(give(left, new Request(NODE, VRF, FIRST, 0))).containsExactly(block(SECOND, 3));
        clock.pass(Constants.BLOCK_QUARANTINE_SECONDS);
        assertThat(give(left, new Request(NODE, VRF, FIRST, 0))).containsExactly(block(FIRST, 1), block(SECOND, 3));
    }
}
