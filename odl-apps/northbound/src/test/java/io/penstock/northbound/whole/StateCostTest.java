// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.penstock.engine.node.NodeCounts.Count;
import io.penstock.engine.state.StateSink.Changes;
import io.penstock.engine.state.StateSink.Entry;
import io.penstock.engine.state.TenantState;
import io.penstock.engine.state.TenantState.Kind;
import io.penstock.engine.state.TenantState.Mapping;
import io.penstock.engine.state.TenantState.OnNode;
import io.penstock.northbound.rest.StateStore;
import io.penstock.pipeline.intent.Tenant.Attachment;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.MdSalInProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The time that it takes to store the state of many tenants, and to read it as RESTCONF does, in JSON. */
@Tag("deep")
@Tag("scale")
class StateCostTest {
    private static final int TENANTS = 1000;
    private static final MdSalInProcess MDSAL = new MdSalInProcess();
    private static final DataClient CLIENT = new DataClient(MDSAL);
    private static final StateStore STORE = new StateStore(MDSAL.broker());
    /** Much less than a second each on an idle machine; tests share processors. */
    private static final Duration ALL = Duration.ofSeconds(1);
    private static final Duration ONE = Duration.ofMillis(20);
    private static final int TIMES = 20;

    @BeforeAll
    static void warmUp() {
        write(0);
        for (int time = 0; time < TIMES; time++) {
            all();
            one();
        }
    }

    @AfterAll
    static void close() {
        MDSAL.close();
    }

    private static void write(final long dropped) {
        final Map<String, Optional<Entry<TenantState>>> tenants = new HashMap<>();
        for (int number = 0; number < TENANTS; number++) {
            tenants.put("t" + number, Optional.of(new Entry<>(new TenantState(Kind.ACTIVE, "", 2 + number,
                Optional.of(Ipv4.parse("203.0.113.0")),
                Optional.of("public"), List.of(new Mapping("port-block", "10.0.0.0/24", "198.51.100.0/28",
                    OptionalInt.of(5))), List.of(new Attachment("lan", "edge1", "acc0", 100)), Optional.of("secure"),
                new TreeMap<>(Map.of("edge1", new OnNode(new VrfId(2 + number),
                    OptionalLong.of(5), new Count(dropped, dropped,
                    Map.of(TenantMeter.OUT, dropped))))), 5, 5), Instant.EPOCH)));
        }
        STORE.write(new Changes(Map.of(), tenants, Map.of(), Map.of()));
    }

    private static JsonArray all() {
        return CLIENT.stateOf("penstock-state:state").orElseThrow().getAsJsonObject("penstock-state:state")
            .getAsJsonArray("tenant");
    }

    private static JsonObject one() {
        return CLIENT.state("penstock-state:state/tenant=t500").orElseThrow();
    }

    /** The shortest of some times: what the machine does beside takes time from some. */
    private static Duration shortest(final Supplier<?> work) {
        Duration shortest = Duration.ofDays(1);
        for (int time = 0; time < TIMES; time++) {
            final long begun = System.nanoTime();
            assertThat(work.get()).isNotNull();
            final Duration took = Duration.ofNanos(System.nanoTime() - begun);
            shortest = took.compareTo(shortest) < 0 ? took : shortest;
        }
        return shortest;
    }

    @Test
    void oneOfManyTenantsIsReadInMilliseconds() {
        assertThat(one().getAsJsonArray("node")).hasSize(1);
        assertThat(shortest(StateCostTest::one)).isLessThan(ONE);
    }

    @Test
    void aThousandTenantsAreReadInASecond() {
        assertThat(all()).hasSize(TENANTS);
        assertThat(shortest(StateCostTest::all)).isLessThan(ALL);
    }

    @Test
    void theCountersOfAThousandTenantsAreStoredInASecond() {
        final long[] dropped = {1};
        assertThat(shortest(() -> {
            write(dropped[0]++);
            return dropped;
        })).isLessThan(ALL);
    }
}
