// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.PlanDiff;
import io.penstock.pipeline.plan.Planner;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which flows stay a moment longer than their plan, and how long. */
class LingeringTest {
    private long now = 77;
    private final Lingering lingering = new Lingering(new Ticker() {
        @Override
        public long read() {
            return now;
        }
    });
    private final Snapshot network = Fixtures.network(Fixtures.rich());
    private final Allocations allocations = Allocator.allocate(network, Allocations.none());
    private final NodePlan both = chain("fw", "tap");
    private final NodePlan one = chain("tap");

    private NodePlan chain(final String... functions) {
        final Snapshot changed = Snapshot.of(List.copyOf(network.nodes().values()), network.backbone(),
            List.copyOf(network.pools().values()), List.copyOf(network.functions().values()),
            List.of(new Chain("secure", List.of(functions))), List.copyOf(network.tenants().values()),
            new ArrayList<>(network.acls().values()));
        return Planner.plan(changed, allocations, Set.of(), "edge1");
    }

    private List<FlowSpec> removed(final NodePlan planned, final NodePlan installed) {
        return lingering.apply(PlanDiff.between(planned, installed), planned).excess();
    }

    @Test
    void whatComesBackFromAFunctionThatLeftGoesOn() {
        final List<FlowSpec> excess = PlanDiff.between(one, both).excess();
        assertThat(excess).extracting(FlowSpec::table).containsExactly(Table.CHAIN_RETURN, Table.CHAIN_RETURN);
        assertThat(removed(one, both)).isEmpty();
        assertThat(lingering.isEmpty()).isFalse();
        now += TimeUnit.MILLISECONDS.toNanos(Lingering.MILLIS) - 1;
        assertThat(removed(one, one)).isEmpty();
        assertThat(lingering.hide(new PlanDiff(List.of(), List.of(), excess, List.of())).isEmpty()).isTrue();
        now++;
        assertThat(removed(one, one)).containsExactlyInAnyOrderElementsOf(excess);
        assertThat(lingering.isEmpty()).isTrue();
        assertThat(removed(one, one)).isEmpty();
    }

    @Test
    void aFunctionThatIsBackInTimeHasItsFlows() {
        removed(one, both);
        assertThat(removed(both, one)).isEmpty();
        assertThat(lingering.isEmpty()).isTrue();
    }

    @Test
    void nothingStaysOfATenantThatLeaves() {
        final NodePlan none = Planner.plan(network.withTenants(List.of()), allocations, Set.of(), "edge1");
        removed(one, both);
        final List<FlowSpec> gone = removed(none, one);
        assertThat(gone).containsAll(PlanDiff.between(one, both).excess());
        assertThat(lingering.isEmpty()).isTrue();
    }

    @Test
    void withoutTheSwitchNothingIsKnown() {
        removed(one, both);
        lingering.forget();
        assertThat(lingering.isEmpty()).isTrue();
    }
}
