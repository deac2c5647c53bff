// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.Desired;
import io.penstock.events.PoolEvent;
import io.penstock.events.PoolEvent.Kind;
import io.penstock.events.PoolEvent.OfPool;
import io.penstock.events.PoolEvent.OfPortBlock;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Thresholds;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.testkit.ManualClock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PoolWatchTest {
    private static final Prefix INSIDE = Prefix.parse("10.0.0.0/24");
    private static final Ipv4 OUTSIDE = Ipv4.parse("198.51.100.0");
    private static final OfPortBlock BLOCKS = new OfPortBlock("red", INSIDE);

    private final ManualClock clock = new ManualClock(Instant.EPOCH);
    private final PoolWatch watch = new PoolWatch(clock, event -> { });

    /** Tenants have that many addresses of a pool of eight. */
    private static Desired tenants(final int many, final String drain) {
        final Map<String, TenantAllocation> given = new HashMap<>();
        IntStream.range(0, many).forEach(
            index -> given.put("t" + index, new TenantAllocation(2 + index,
            Optional.of(Ipv4.parse("203.0.113.0").plus(index)))));
        final Pool pool = new Pool("public", List.of(Prefix.parse("203.0.113.0/29")),
            drain.isEmpty() ? List.of() : List.of(Prefix.parse(drain)), false, Optional.of(new Thresholds(75, 50)));
        return new Desired(1, Snapshot.of(List.of(), Backbone.NONE, List.of(pool), List.of(), List.of(), List.of(),
            List.of()), new Allocations(0, new TreeMap<>(), new TreeMap<>(), given));
    }

    /** That many subscribers have one of the six blocks of two addresses, of the second one, which is drained. */
    private static Desired subscribers(final int many) {
        final Tenant.PortBlocks mapping = new Tenant.PortBlocks(INSIDE, new Prefix(OUTSIDE, 31), 512, 1, false,
            List.of(Prefix.host(OUTSIDE.plus(1))), Optional.empty(), false);
        final Tenant tenant = new Tenant("red", List.of(), List.of(), List.of(), Optional.of(new Tenant.Nat(
            Optional.empty(), Optional.empty(), List.of(), List.of(), List.of(mapping), List.of(), Set.of())),
            Optional.empty(), Optional.empty());
        return new Desired(1, Snapshot.of(List.of(), Backbone.NONE, List.of(), List.of(), List.of(), List.of(tenant),
            List.of()), new Allocations(2, new TreeMap<>(), new TreeMap<>(),
            Map.of("red", new TenantAllocation(2, Optional.empty(),
                IntStream.range(0, many).mapToObj(index -> new Block(INSIDE.address().plus(index), OUTSIDE.plus(1),
                    1024 + 512 * index, 512)).toList()))));
    }

    private List<PoolEvent> look(final Desired desired) {
        return watch.look(desired, desired.snapshot().tenants().keySet());
    }

    private OptionalLong left(final int subscribers) {
        return watch.emptyInSeconds("red", INSIDE, OUTSIDE.plus(1), subscribers);
    }

    @Test
    void thresholdsAreToldOnce() {
        assertThat(look(tenants(5, ""))).isEmpty();
        assertThat(look(tenants(6, ""))).containsExactly(
            new PoolEvent(Kind.HIGH_THRESHOLD, new OfPool("public"), Optional.empty(), 6, 8));
        assertThat(look(tenants(7, ""))).isEmpty();
        assertThat(look(tenants(5, ""))).isEmpty();
        assertThat(look(tenants(6, ""))).isEmpty();
        assertThat(look(tenants(4, ""))).containsExactly(
            new PoolEvent(Kind.LOW_THRESHOLD, new OfPool("public"), Optional.empty(), 4, 8));
        assertThat(look(tenants(3, ""))).isEmpty();
        assertThat(look(tenants(7, ""))).hasSize(1);
    }

    @Test
    void aFullPoolIsToldOnceAndSoIsItsEnd() {
        final PoolEvent available = new PoolEvent(Kind.AVAILABLE, new OfPool("public"), Optional.empty(), 3, 8);
        look(tenants(7, ""));
        assertThat(look(tenants(8, ""))).containsExactly(
            new PoolEvent(Kind.EXHAUSTED, new OfPool("public"), Optional.empty(), 8, 8));
        assertThat(look(tenants(8, ""))).isEmpty();
        assertThat(look(tenants(3, ""))).doesNotContain(available);
        clock.pass(600);
        assertThat(look(tenants(3, ""))).containsExactly(available);
        assertThat(look(tenants(3, ""))).isEmpty();
        assertThat(look(tenants(3, "203.0.113.0/29"))).as("drained on purpose").extracting(PoolEvent::kind)
            .doesNotContain(Kind.EXHAUSTED);
    }

    @Test
    void anEmptyDrainIsToldOnce() {
        final Prefix drain = Prefix.parse("203.0.113.2/31");
        assertThat(look(tenants(4, "203.0.113.2/31"))).isEmpty();
        assertThat(look(tenants(3, "203.0.113.2/31"))).isEmpty();
        assertThat(look(tenants(2, "203.0.113.2/31"))).containsExactly(
            new PoolEvent(Kind.DRAINED, new OfPool("public"), Optional.of(drain), 0, 2));
        assertThat(look(tenants(2, "203.0.113.2/31"))).isEmpty();
        assertThat(look(tenants(2, ""))).isEmpty();
        assertThat(look(tenants(2, "203.0.113.2/31"))).as("a new drain").hasSize(1);
    }

    @Test
    void theEndOfADrainIsEstimatedFromWhoLeft() {
        look(subscribers(8));
        assertThat(left(8)).isEmpty();
        clock.pass(1000);
        look(subscribers(4));
        // Half left in 1000 s: on average one leaves after 1443 s, the last of four after (1 + 1/2 + 1/3 + 1/4) that.
        assertThat(left(4)).hasValue(3006);
        clock.pass(1000);
        assertThat(look(subscribers(0))).containsExactly(
            new PoolEvent(Kind.DRAINED, BLOCKS, Optional.of(Prefix.host(OUTSIDE.plus(1))), 0, 1));
        assertThat(left(0)).hasValue(0);
        assertThat(watch.emptyInSeconds("red", INSIDE, OUTSIDE, 3)).as("is not drained").isEmpty();
    }
}
