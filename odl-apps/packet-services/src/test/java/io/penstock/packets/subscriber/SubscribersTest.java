// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.Desired;
import io.penstock.configuration.grant.Transition;
import io.penstock.configuration.grant.Transitions;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.testkit.ManualClock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Changes of which the last could not be written down are asked for again. */
class SubscribersTest {
    private static final String NODE = "edge1";
    private static final Ipv4 ADDRESS = Ipv4.parse("203.0.113.1");
    private static final Ipv4 FIRST = Ipv4.parse("10.0.0.5");
    private static final Ipv4 SECOND = Ipv4.parse("10.0.0.6");
    private static final int VRF = 7;

    private final ManualClock clock = new ManualClock(Instant.EPOCH);
    private final AtomicInteger marks = new AtomicInteger();
    private final Subscribers subscribers = new Subscribers(clock, marks::incrementAndGet, event -> { });
    private final Snapshot snapshot = Snapshot.of(List.of(), Backbone.NONE, List.of(), List.of(), List.of(),
        List.of(new Tenant("red", List.of(new Tenant.Attachment("lan", NODE, "acc0", 1)), List.of(), List.of(),
            Optional.of(new Tenant.Nat(Optional.empty(), Optional.empty(), List.of(), List.of(),
                List.of(new Tenant.PortBlocks(Prefix.parse("10.0.0.0/29"), Prefix.host(ADDRESS), 16384, 2)),
                List.of(), Set.of())), Optional.empty(), Optional.empty())),
        List.of());

    private static Allocations having(final Block... given) {
        return new Allocations(VRF, new TreeMap<>(Map.of(NODE, 1)), new TreeMap<>(),
            Map.of("red", new TenantAllocation(VRF, Optional.empty(), List.of(given))));
    }

    private static Block block(final Ipv4 subscriber, final int number) {
        return new Block(subscriber, ADDRESS, 16384 * number, 16384);
    }

    private static FlowDump dump(final long... packets) {
        return new FlowDump(Stream.of(0, 1).map(index -> new InstalledFlow(new FlowSpec(Table.NAT_TRANSLATE, 300,
            List.of(FieldMatch.of(MatchField.IP_SRC, FIRST.plus(index))), List.of(), Optional.empty(),
            Cookie.of(Cookie.Kind.TENANT, VRF), 0), packets[index], 0)).toList(), List.of());
    }

    private static PacketIn request(final Ipv4 subscriber) {
        final byte[] frame = new byte[64];
        frame[12] = 0x08;
        for (int index = 0; index < 4; index++) {
            frame[26 + index] = (byte) (subscriber.number() >> 24 - 8 * index);
        }
        return new PacketIn(new SwitchId(Constants.datapathId(1, "")), 1, 0, Table.NAT_TRANSLATE.number(),
            Map.of(MatchField.REG0, (long) VRF), frame);
    }

    private List<Block> change(final Allocations before) {
        return subscribers.propose(snapshot, before).tenants().get("red").blocks();
    }

    @Test
    void whoAskedIsServedWhenItCanBeWritten() {
        subscribers.onPacketIn(request(FIRST));
        assertThat(change(having())).containsExactly(block(FIRST, 1));
        subscribers.onPacketIn(request(SECOND));
        assertThat(change(having())).extracting(Block::subscriber).containsExactly(FIRST, SECOND);
        subscribers.stored(Transitions.none());
        assertThat(change(having())).isEmpty();
        assertThat(marks).hasValue(2);
    }

    @Test
    void whoAsksWhileItIsWrittenIsNotForgotten() {
        subscribers.onPacketIn(request(FIRST));
        change(having());
        subscribers.onPacketIn(request(SECOND));
        subscribers.stored(Transitions.none());
        assertThat(change(having(block(FIRST, 1)))).hasSize(2);
    }

    @Test
    void whoIsIdleLosesItsBlocksWhenItCanBeWritten() {
        final Allocations had = having(block(FIRST, 1), block(SECOND, 2));
        subscribers.count(NODE, dump(10, 20));
        clock.pass(Constants.BLOCK_IDLE_SECONDS);
        subscribers.count(NODE, dump(10, 21));
        assertThat(change(had)).containsExactly(block(SECOND, 2));
        assertThat(change(had)).containsExactly(block(SECOND, 2));
        subscribers.stored(Transitions.none());
        assertThat(change(had)).hasSize(2);
    }

    @Test
    void aNodeThatWasAwayCountsFromTheBeginning() {
        final Allocations had = having(block(FIRST, 1), block(SECOND, 2));
        subscribers.count(NODE, dump(10, 20));
        change(had);
        final Desired with = new Desired(1, Snapshot.of(List.of(new Node(NODE, "", List.of())), Backbone.NONE,
            List.of(), List.of(), List.of(), List.of(), List.of()), had);
        subscribers.stored(new Transition(with, new Desired(2, Snapshot.empty(), had), Set.of()));
        clock.pass(Constants.BLOCK_IDLE_SECONDS);
        subscribers.count(NODE, dump(10, 20));
        assertThat(change(had)).hasSize(2);
    }

    @Test
    void aNodeThatCountsSubscribersOfOthersEndsNothing() {
        final Allocations had = having(block(FIRST, 1), block(SECOND, 2));
        subscribers.count("edge2", dump(10, 20));
        clock.pass(Constants.BLOCK_IDLE_SECONDS);
        subscribers.count("edge2", dump(10, 20));
        assertThat(change(had)).hasSize(2);
    }

    @Test
    void whoComesBackWithAsManyPacketsIsActive() {
        subscribers.count(NODE, dump(1, 20));
        clock.pass(Constants.BLOCK_IDLE_SECONDS);
        subscribers.count(NODE, dump(1, 21));
        change(having(block(FIRST, 1), block(SECOND, 2)));
        subscribers.stored(Transitions.none());
        clock.pass(60);
        subscribers.count(NODE, dump(1, 22));
        assertThat(change(having(block(FIRST, 3), block(SECOND, 2)))).hasSize(2);
    }

    @Test
    void whoMayHaveBegunAgainKeepsItsBlocks() {
        final Allocations had = having(block(FIRST, 1), block(SECOND, 2));
        subscribers.count(NODE, dump(10, 20));
        clock.pass(Constants.BLOCK_IDLE_SECONDS);
        subscribers.count(NODE, dump(10, 21));
        clock.pass(61);
        assertThat(change(had)).hasSize(2);
        subscribers.count(NODE, dump(10, 21));
        assertThat(change(had)).containsExactly(block(SECOND, 2));
        subscribers.count(NODE, dump(11, 21));
        assertThat(change(had)).hasSize(2);
    }
}
