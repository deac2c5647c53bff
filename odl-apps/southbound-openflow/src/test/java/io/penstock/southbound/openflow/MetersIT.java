// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static io.penstock.southbound.openflow.ConnectedSwitch.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.flow.MeterSpec.Unit;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.wire.PrivateSwitch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Meters, on their way to Open vSwitch and back. */
class MetersIT {
    private static final Logger LOG = LoggerFactory.getLogger(MetersIT.class);
    private static final SwitchId SWITCH = ConnectedSwitch.ID;
    private static final MeterSpec PACKETS = new MeterSpec(17, Unit.PACKETS, 50, 100);
    private static final MeterSpec KILOBITS = new MeterSpec((1 << 18) - 1, Unit.KILOBITS, 0xffffffffL, 3);

    @TempDir
    static Path directory;

    private static ConnectedSwitch connected;
    private static PrivateSwitch target;
    private static OpenFlowSouthbound southbound;

    @BeforeAll
    static void start() throws Exception {
        connected = new ConnectedSwitch(directory);
        target = connected.target();
        southbound = connected.southbound();
        connected.connect();
    }

    @AfterAll
    static void stop() throws Exception {
        connected.close();
    }

    @BeforeEach
    void clear() throws Exception {
        connected.clear();
    }

    @Test
    void metersComeBackAsTheyWereSent() {
        assertThat(get(southbound.readMeters(SWITCH))).isEmpty();
        assertThat(get(southbound.readMeterCounts(SWITCH))).isEmpty();
        get(southbound.setMeters(SWITCH, List.of(PACKETS, KILOBITS)));
        assertThat(get(southbound.readMeters(SWITCH))).isEqualTo(meters(PACKETS, KILOBITS));
    }

    @Test
    void aMeterThatIsThereGetsTheNewRate() {
        get(southbound.setMeters(SWITCH, List.of(PACKETS)));
        final MeterSpec other = new MeterSpec(PACKETS.id(), Unit.KILOBITS, 5000, 1000);
        get(southbound.setMeters(SWITCH, List.of(KILOBITS, other)));
        assertThat(get(southbound.readMeters(SWITCH))).isEqualTo(meters(other, KILOBITS));
    }

    @Test
    void aMeterGoesWithTheFlowsThatNameIt() {
        get(southbound.setMeters(SWITCH, List.of(PACKETS, KILOBITS)));
        get(southbound.apply(SWITCH, FlowChanges.of(List.of(), List.of(metered(PACKETS, 1), metered(KILOBITS, 2)))));
        get(southbound.deleteMeters(SWITCH, Set.of(PACKETS.id(), 99)));
        assertThat(get(southbound.readMeters(SWITCH))).isEqualTo(meters(KILOBITS));
        assertThat(get(southbound.readFlows(SWITCH)).flows()).extracting(InstalledFlow::flow)
            .containsExactly(metered(KILOBITS, 2));
    }

    @Test
    void aFlowNeedsItsMeterFirst() {
        assertThatThrownBy(() -> get(southbound.apply(SWITCH,
            FlowChanges.of(List.of(), List.of(metered(PACKETS, 1)))))).hasMessageContaining(SWITCH.toString());
        assertThat(get(southbound.readFlows(SWITCH)).flows()).isEmpty();
    }

    @Test
    void aMeterThatCannotBeOursIsSeen() throws Exception {
        target.ofctl("add-meter", "meter=3,pktps,band=type=drop,rate=5");
        target.ofctl("add-meter", "meter=4,kbps,burst,stats,band=type=drop,rate=5,burst_size=5");
        target.ofctl("add-meter",
            "meter=5,kbps,burst,bands=type=drop,rate=5,burst_size=5,type=drop,rate=6,burst_size=6");
        get(southbound.setMeters(SWITCH, List.of(PACKETS)));
        assertThat(get(southbound.readMeters(SWITCH))).isEqualTo(Map.of(3, Optional.empty(), 4, Optional.empty(),
            5, Optional.empty(), PACKETS.id(), Optional.of(PACKETS)));
        get(southbound.setMeters(SWITCH, List.of(new MeterSpec(3, Unit.PACKETS, 5, 5))));
        assertThat(get(southbound.readMeters(SWITCH)).get(3)).isPresent();
    }

    @Test
    void packetsAreCounted() throws Exception {
        final MeterSpec slow = new MeterSpec(18, Unit.PACKETS, 1, 2);
        get(southbound.setMeters(SWITCH, List.of(PACKETS, slow)));
        get(southbound.apply(SWITCH, FlowChanges.of(List.of(), List.of(new FlowSpec(Table.CLASSIFY, 1, List.of(),
            List.of(new Action.Meter(slow.id()), new Action.Output(2)), Optional.empty(), 1, 0)))));
        // All at once: one after the other, they would come more slowly the slower the machine is.
        target.receive("p1", "in_port(1),eth(src=02:00:00:00:00:01,dst=02:00:00:00:00:02),eth_type(0x1234)", 64, 10);
        final MeterCount counted = await(slow.id(), 10);
        assertThat(counted.bytesIn()).isEqualTo(640);
        assertThat(counted.packetsDropped()).isBetween(1L, 8L);
        assertThat(counted.bytesDropped()).isEqualTo(64 * counted.packetsDropped());
        assertThat(get(southbound.readMeterCounts(SWITCH))).contains(new MeterCount(PACKETS.id(), 0, 0, 0, 0))
            .hasSize(2);
        assertThat(get(southbound.readMeterCounts(SWITCH, Set.of(slow.id())))).singleElement()
            .isEqualTo(await(slow.id(), 10));
        assertThat(get(southbound.readMeterCounts(SWITCH, Set.of(PACKETS.id(), 4711))))
            .containsExactly(new MeterCount(PACKETS.id(), 0, 0, 0, 0));
        assertThat(get(southbound.readMeterCounts(SWITCH, Set.of()))).isEmpty();
    }

    private static MeterCount await(final int id, final long packets) {
        final long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (true) {
            final MeterCount count = get(southbound.readMeterCounts(SWITCH)).stream()
                .filter(each -> each.id() == id).findFirst().orElseThrow();
            if (count.packetsIn() >= packets || System.nanoTime() > end) {
                assertThat(count.packetsIn()).isEqualTo(packets);
                return count;
            }
        }
    }

    @Test
    void thousandsOfMetersTakeLittleTime() {
        final List<MeterSpec> meters = new ArrayList<>();
        IntStream.range(0, 4000).forEach(i -> meters.add(
            new MeterSpec(16 + 2 * i, i % 2 == 0 ? Unit.PACKETS : Unit.KILOBITS, 1000 + i, 2000)));
        timed("made", () -> southbound.setMeters(SWITCH, meters));
        assertThat(timed("read", () -> southbound.readMeters(SWITCH)))
            .isEqualTo(meters(meters.toArray(MeterSpec[]::new)));
        assertThat(timed("counted", () -> southbound.readMeterCounts(SWITCH))).hasSize(meters.size());
        timed("changed", () -> southbound.setMeters(SWITCH, meters));
        timed("deleted", () -> southbound.deleteMeters(SWITCH,
            meters.stream().map(MeterSpec::id).collect(Collectors.toSet())));
        assertThat(get(southbound.readMeters(SWITCH))).isEmpty();
    }

    @Test
    void thePluginCountsOnInAnotherPieceOfItsQueue() {
        final List<MeterSpec> meters = IntStream.range(0, 1500)
            .mapToObj(i -> new MeterSpec(16 + i, Unit.PACKETS, 1000, 2000)).toList();
        final Set<Integer> ids = meters.stream().map(MeterSpec::id).collect(Collectors.toSet());
        // Of 9000 messages in a row the 4096th, or one of its multiples, comes among those that make meters.
        for (int round = 0; round < 3; round++) {
            get(southbound.setMeters(SWITCH, meters));
            assertThat(get(southbound.readMeters(SWITCH))).hasSameSizeAs(meters);
            get(southbound.deleteMeters(SWITCH, ids));
        }
    }

    private static <T> T timed(final String what, final Supplier<CompletableFuture<T>> work) {
        final long start = System.nanoTime();
        final T result = get(work.get());
        LOG.info("4000 meters {} in {} ms", what, Duration.ofNanos(System.nanoTime() - start).toMillis());
        return result;
    }

    private static FlowSpec metered(final MeterSpec meter, final int priority) {
        return new FlowSpec(Table.EGRESS, priority, List.of(), List.of(new Action.Meter(meter.id())),
            Optional.empty(), 1, 0);
    }

    private static Map<Integer, Optional<MeterSpec>> meters(final MeterSpec... meters) {
        return List.of(meters).stream().collect(Collectors.toMap(MeterSpec::id, Optional::of));
    }
}
