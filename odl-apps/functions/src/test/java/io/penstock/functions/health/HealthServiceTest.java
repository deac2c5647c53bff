// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.health;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.penstock.configuration.Desired;
import io.penstock.packets.link.FrameOutlet;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.HealthCheck;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which nodes are told that an instance is healthy, or is not. */
class HealthServiceTest {
    private static final NetworkFunction PLAIN = new NetworkFunction("fw", "edge1", FailPolicy.CLOSED, true);

    private final List<String> told = new ArrayList<>();
    private Desired desired = new Desired(0, Snapshot.empty(), Allocations.none());
    private boolean online = true;
    private boolean carries = true;
    private final OpenFlowSouthbound southbound = (OpenFlowSouthbound) Proxy.newProxyInstance(
        OpenFlowSouthbound.class.getClassLoader(), new Class<?>[] {OpenFlowSouthbound.class},
        (self, method, values) -> {
            throw new AssertionError("no probe is sent: the ports are down, or the node is away");
        });
    private final HealthService service = new HealthService(new FrameOutlet(southbound), () -> desired,
        new HealthService.Nodes() {
            @Override
            public boolean isOnline(final String node) {
                return online;
            }

            @Override
            public boolean isUp(final String node, final List<String> ports) {
                return false;
            }

            @Override
            public boolean carriesServiceHeader(final String node) {
                return carries;
            }

            @Override
            public void changed(final String node) {
                told.add(node);
            }
        }, Ticker.systemTicker(), 7);

    @BeforeEach
    void fail() {
        change(PLAIN.with(new HealthCheck(200, 3, 5)));
        assertThat(told).containsExactly("edge1");
        assertThat(service.isHealthy("edge1", "fw")).isFalse();
        told.clear();
        service.tick();
        assertThat(told).as("that is no news").isEmpty();
    }

    @AfterEach
    void close() {
        service.close();
    }

    private void change(final NetworkFunction... functions) {
        final Snapshot snapshot = Fixtures.network().withFunctions(List.of(functions));
        desired = desired.next(snapshot, Allocator.allocate(snapshot, desired.allocations()));
        service.tick();
    }

    @Test
    void aNodeIsToldWhenAnInstanceIsNoLongerProbed() {
        change(PLAIN);
        assertThat(told).containsExactly("edge1");
        assertThat(service.isHealthy("edge1", "fw")).isTrue();
        service.tick();
        assertThat(told).hasSize(1);
    }

    @Test
    void aNodeIsToldWhenAnotherCheckBegins() {
        // Of a node that is away nothing else is looked at.
        online = false;
        change(PLAIN.with(new HealthCheck(500, 3, 5)));
        assertThat(told).containsExactly("edge1");
        assertThat(service.isHealthy("edge1", "fw")).isTrue();
        service.tick();
        assertThat(told).hasSize(1);
    }

    @Test
    void aFunctionWithAServiceHeaderGetsNoPacketsWhereThatEndsTheSwitch() {
        change(PLAIN, new NetworkFunction("sf", "edge1", FailPolicy.CLOSED, true).with(new NetworkFunction.Nsh()));
        assertThat(service.isHealthy("edge1", "sf")).isTrue();
        carries = false;
        assertThat(service.isHealthy("edge1", "sf")).isFalse();
        assertThat(service.isCarried("edge1", "sf")).isFalse();
        assertThat(service.isHealthy("edge1", "fw")).as("it wants no header").isTrue();
    }
}
