// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.packets.subscriber.SubscriberBlocks.Subscriber;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.testkit.ManualClock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class IdleSubscribersTest {
    private static final Ipv4 FIRST = Ipv4.parse("10.0.0.5");
    private static final Ipv4 SECOND = Ipv4.parse("10.0.0.6");

    private final ManualClock clock = new ManualClock(Instant.EPOCH);
    private final IdleSubscribers subscribers = new IdleSubscribers(clock);

    private static InstalledFlow flow(final FieldMatch source, final long packets) {
        return flow(Table.NAT_TRANSLATE, source, packets);
    }

    private static InstalledFlow flow(final Table table, final FieldMatch source, final long packets) {
        return new InstalledFlow(new FlowSpec(table, 300, List.of(source), List.of(), Optional.empty(),
            Cookie.of(Cookie.Kind.TENANT, 7), 0), packets, 0);
    }

    private static FlowDump dump(final long first, final long second) {
        return new FlowDump(List.of(flow(FieldMatch.of(MatchField.IP_SRC, FIRST), first),
            flow(FieldMatch.of(MatchField.IP_SRC, SECOND), second),
            flow(new FieldMatch(MatchField.IP_SRC, 0x0a000000L, 0xffffff00L), 0)), List.of());
    }

    @Test
    void whoSentNothingForLongEnough() {
        assertThat(subscribers.idle(dump(10, 20))).isEmpty();
        clock.pass(Constants.BLOCK_IDLE_SECONDS - 1);
        assertThat(subscribers.idle(dump(10, 21))).isEmpty();
        clock.pass(1);
        assertThat(subscribers.idle(dump(10, 21))).containsExactly(new Subscriber(new VrfId(7), FIRST));
        // Flows that were made anew count from zero: nobody knows what was before.
        assertThat(subscribers.idle(dump(0, 21))).isEmpty();
    }

    @Test
    void whoUsesMappingsAloneIsNotIdle() {
        final InstalledFlow tracked = flow(FieldMatch.of(MatchField.IP_SRC, FIRST), 10);
        subscribers.idle(new FlowDump(
            List.of(tracked, flow(Table.NAT_MAP, FieldMatch.of(MatchField.IP_SRC, FIRST), 5)), List.of()));
        clock.pass(Constants.BLOCK_IDLE_SECONDS);
        final FlowDump later = new FlowDump(
            List.of(tracked, flow(Table.NAT_MAP, FieldMatch.of(MatchField.IP_SRC, FIRST), 6)), List.of());
        assertThat(subscribers.idle(later)).isEmpty();
        clock.pass(Constants.BLOCK_IDLE_SECONDS);
        assertThat(subscribers.idle(later)).containsExactly(new Subscriber(new VrfId(7), FIRST));
    }

    @Test
    void whoWasAwayBegins() {
        subscribers.idle(dump(10, 20));
        subscribers.idle(new FlowDump(List.of(), List.of()));
        clock.pass(Constants.BLOCK_IDLE_SECONDS);
        assertThat(subscribers.idle(dump(10, 20))).isEmpty();
    }
}
