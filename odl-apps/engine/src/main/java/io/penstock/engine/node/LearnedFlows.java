// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.plan.PlanDiff;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.SwitchId;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Flows that a switch learned, which have to go when what they lead to has moved. */
final class LearnedFlows {
    private static final long WHOLE_COOKIE = -1;
    private static final Set<Table> PLACES = EnumSet.of(Table.CLASSIFY, Table.ACCESS_LEARN, Table.EGRESS);

    private LearnedFlows() {
        // Only functions.
    }

    /** VRFs whose attachments or subnets change by this difference, other than by being new. */
    static Set<Integer> vrfsThatMoved(final PlanDiff diff) {
        return Stream.concat(diff.excess().stream(), diff.wrong().stream())
            .filter(flow -> PLACES.contains(flow.table()) && Cookie.is(flow.cookie(), Cookie.Kind.TENANT))
            .map(flow -> Cookie.ownerId(flow.cookie())).collect(Collectors.toSet());
    }

    /** Keys of what the switch learned in a VRF. */
    static CompletableFuture<List<FlowSpec.Key>> of(final OpenFlowSouthbound southbound, final SwitchId id,
            final int vrf) {
        return southbound.readFlows(id, Cookie.of(Cookie.Kind.LEARNED, vrf), WHOLE_COOKIE)
            .thenApply(dump -> dump.flows().stream().map(installed -> installed.flow().key()).toList());
    }
}
