// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.intent.AccessPlace;
import io.penstock.pipeline.intent.Snapshot;
import java.util.List;
import java.util.Set;

/** A network in a state. Its plan has a golden file of this name. */
public record GoldenCase(String name, Snapshot snapshot, Set<String> down, Set<AccessPlace> flooding) {
    /** Each one with a golden file. */
    public static final List<GoldenCase> ALL = List.of(
        new GoldenCase("no-tenant", Fixtures.network()),
        new GoldenCase("two-tenants", Fixtures.network(Fixtures.tenants(2))),
        new GoldenCase("flooding", Fixtures.network(Fixtures.tenants(1)), Set.of(),
            Set.of(Fixtures.tenants(1)[0].attachments().get(0).place())),
        new GoldenCase("tagged-uplink", Fixtures.taggedUplink()),
        new GoldenCase("published", Fixtures.network(Fixtures.published())),
        new GoldenCase("subscribers", Fixtures.network(Fixtures.subscribers())),
        new GoldenCase("on-demand", Fixtures.network(Fixtures.onDemand())),
        new GoldenCase("independent", Fixtures.network(Fixtures.independent())),
        new GoldenCase("twice", Fixtures.network(Fixtures.twice())),
        new GoldenCase("twice-chained", Fixtures.network(Fixtures.twiceChained())),
        new GoldenCase("twice-chained-fw-down", Fixtures.network(Fixtures.twiceChained()), "fw"),
        new GoldenCase("narrow", Fixtures.narrow()),
        new GoldenCase("guarded", Fixtures.network(Fixtures.guarded())),
        new GoldenCase("guarded-chained", Fixtures.network(Fixtures.guardedChained())),
        new GoldenCase("limited", Fixtures.network(Fixtures.limited())),
        new GoldenCase("services", Fixtures.serving(Fixtures.network(Fixtures.served()))),
        new GoldenCase("dual-stack", DualStack.network(DualStack.tenant())),
        new GoldenCase("dual-stack-served", Fixtures.serving(DualStack.network(DualStack.served()))),
        new GoldenCase("dual-stack-chained", DualStack.network(DualStack.chained())),
        new GoldenCase("dual-stack-closed",
            DualStack.network(DualStack.closed(), DualStack.closedAlone())),
        new GoldenCase("rich-tenant", Fixtures.network(Fixtures.rich())),
        new GoldenCase("rich-tenant-tap-down", Fixtures.network(Fixtures.rich()), "tap"),
        new GoldenCase("rich-tenant-fw-down", Fixtures.network(Fixtures.rich()), "fw"),
        new GoldenCase("spread", Chained.spread()),
        new GoldenCase("spread-fw1-down", Chained.spread(), "fw1"),
        new GoldenCase("canary", Chained.canary()),
        new GoldenCase("mirrored", Chained.mirrored()),
        new GoldenCase("routed", Chained.routed()),
        new GoldenCase("encapsulated", Chained.encapsulated()),
        new GoldenCase("ruled", Chained.ruled()),
        new GoldenCase("ruled-fw-down", Chained.ruled(), "fw"),
        new GoldenCase("branched", Chained.branched()),
        new GoldenCase("branched-scrub-down", Chained.branched(), "scrub"));

    GoldenCase(final String name, final Snapshot snapshot, final String... down) {
        this(name, snapshot, Set.of(down), Set.of());
    }

    /** The plan of the node. */
    public NodePlan plan() {
        return Planner.plan(snapshot, Fixtures.view(snapshot, down).allocations(), down, flooding, "edge1");
    }

    @Override
    public String toString() {
        return name;
    }
}
