// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.AccessPlace;
import io.penstock.pipeline.intent.Snapshot;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A network in a state. Its plan has a golden file of this name.
 *
 * @param parent another one, which stands before it in {@link #ALL}: the golden file has the difference from its plan.
 *     The one without a parent has its whole plan there
 */
public record GoldenCase(String name, Optional<String> parent, Snapshot snapshot, Set<String> down,
        Set<AccessPlace> flooding) {
    /** Each one with a golden file. */
    public static final List<GoldenCase> ALL = List.of(
        new GoldenCase("base", Optional.empty(), Fixtures.network(), Set.of(), Set.of()),
        new GoldenCase("two-tenants", "base", Fixtures.network(Fixtures.tenants(2))),
        new GoldenCase("flooding", Optional.of("two-tenants"), Fixtures.network(Fixtures.tenants(2)), Set.of(),
            Set.of(Fixtures.tenants(2)[0].attachments().get(0).place())),
        new GoldenCase("tagged-uplink", "two-tenants", Fixtures.taggedUplink()),
        new GoldenCase("published", "base", Fixtures.network(Fixtures.published())),
        new GoldenCase("subscribers", "base", Fixtures.network(Fixtures.subscribers())),
        new GoldenCase("on-demand", "base", Fixtures.network(Fixtures.onDemand())),
        new GoldenCase("independent", "on-demand", Fixtures.network(Fixtures.independent())),
        new GoldenCase("twice", "base", Fixtures.network(Fixtures.twice())),
        new GoldenCase("twice-chained", "twice", Fixtures.network(Fixtures.twiceChained())),
        new GoldenCase("twice-chained-fw-down", "twice-chained", Fixtures.network(Fixtures.twiceChained()), "fw"),
        new GoldenCase("narrow", "base", Fixtures.narrow()),
        new GoldenCase("guarded", "base", Fixtures.network(Fixtures.guarded())),
        new GoldenCase("guarded-chained", "base", Fixtures.network(Fixtures.guardedChained())),
        new GoldenCase("limited", "published", Fixtures.network(Fixtures.limited())),
        new GoldenCase("services", "base", Fixtures.serving(Fixtures.network(Fixtures.served()))),
        new GoldenCase("dual-stack", "base", DualStack.network(DualStack.tenant())),
        new GoldenCase("dual-stack-served", "dual-stack", Fixtures.serving(DualStack.network(DualStack.served()))),
        new GoldenCase("dual-stack-chained", "base", DualStack.network(DualStack.chained())),
        new GoldenCase("dual-stack-closed", "dual-stack",
            DualStack.network(DualStack.closed(), DualStack.closedAlone())),
        new GoldenCase("rich-tenant", "base", Fixtures.network(Fixtures.rich())),
        new GoldenCase("rich-tenant-tap-down", "rich-tenant", Fixtures.network(Fixtures.rich()), "tap"),
        new GoldenCase("rich-tenant-fw-down", "rich-tenant", Fixtures.network(Fixtures.rich()), "fw"),
        new GoldenCase("spread", "rich-tenant", Chained.spread()),
        new GoldenCase("spread-fw1-down", "spread", Chained.spread(), "fw1"),
        new GoldenCase("canary", "spread", Chained.canary()),
        new GoldenCase("mirrored", "rich-tenant", Chained.mirrored()),
        new GoldenCase("routed", "rich-tenant", Chained.routed()),
        new GoldenCase("encapsulated", "spread", Chained.encapsulated()),
        new GoldenCase("ruled", "rich-tenant", Chained.ruled()),
        new GoldenCase("ruled-fw-down", "ruled", Chained.ruled(), "fw"),
        new GoldenCase("branched", "ruled", Chained.branched()),
        new GoldenCase("branched-scrub-down", "branched", Chained.branched(), "scrub"));

    GoldenCase(final String name, final String parent, final Snapshot snapshot, final String... down) {
        this(name, Optional.of(parent), snapshot, Set.of(down), Set.of());
    }

    /** The ids and addresses of the plan. */
    Allocations allocations() {
        return Fixtures.view(snapshot, down).allocations();
    }

    /** The plan of the node. */
    public NodePlan plan() {
        return Planner.plan(snapshot, allocations(), down, flooding, "edge1");
    }

    @Override
    public String toString() {
        return name;
    }
}
