// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.Desired;
import io.penstock.events.ResolverEvent;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Services;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.southbound.ovsdb.ZoneReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ResolverWatchTest {
    private static final String NODE = "edge1";
    private static final int VRF = 7;
    private static final Tenant RED = new Tenant("red", List.of(new Tenant.Attachment("lan", NODE, "acc0", 1)),
        List.of(), List.of(), Optional.empty(), Optional.empty(), Optional.empty());
    private static final ResolverEvent DEAD = new ResolverEvent(NODE, "red", Optional.of("it ended"));
    private static final ResolverEvent ALIVE = new ResolverEvent(NODE, "red", Optional.empty());

    private final List<ResolverEvent> told = new ArrayList<>();
    private final TaskThread thread = new TaskThread("resolvers");
    private Desired desired = having(RED.with(new Services(Optional.empty(), Optional.of(
        new Dns(Optional.empty(), List.of(), List.of(), Optional.empty(), Optional.empty())))));
    private final ResolverWatch watch = new ResolverWatch(() -> desired, told::add, thread);

    private static Desired having(final Tenant tenant) {
        return new Desired(1, Snapshot.empty().withTenants(List.of(tenant)), new Allocations(VRF, new TreeMap<>(),
            new TreeMap<>(), Map.of("red", new TenantAllocation(VRF, Optional.empty()))));
    }

    private void take(final String... states) {
        for (final String state : states) {
            watch.take(NODE, Map.of(VRF, new ZoneReport(OptionalLong.empty(), OptionalLong.empty(), state),
                VRF + 1, new ZoneReport(OptionalLong.empty(), OptionalLong.empty(), "of another tenant")));
        }
    }

    @AfterEach
    void close() {
        thread.close();
    }

    @Test
    void aResolverThatStaysDeadIsToldOnceAndSoIsItsReturn() {
        take("ok", "it ended");
        assertThat(told).as("it is restarted at once").isEmpty();
        take("it ended", "it ended", "it does not answer");
        assertThat(told).containsExactly(DEAD);
        take("ok", "ok");
        assertThat(told).containsExactly(DEAD, ALIVE);
        take("it ended", "ok", "it ended", "ok");
        assertThat(told).hasSize(2);
    }

    @Test
    void noReportIsNoTrouble() {
        take("", "");
        watch.take(NODE, Map.of());
        assertThat(told).isEmpty();
        take("it ended", "it ended", "");
        assertThat(told).containsExactly(DEAD);
    }

    @Test
    void aTenantWithoutAResolverHasNoTrouble() {
        take("it ended", "it ended");
        final Desired before = desired;
        desired = having(RED);
        take("ok");
        desired = before;
        take("ok");
        assertThat(told).containsExactly(DEAD);
    }
}
