// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Chained;
import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.plan.GoldenCase;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.Terms.Clause;
import io.penstock.pipeline.stage.SessionOrder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Contracts permit what plans need. {@link io.penstock.pipeline.stage.FlowSink} refuses more, this test less. */
class PermissionsTest {
    /** Permissions of learned tables are not looked at. */
    @Test
    void eachPermissionIsNeeded() {
        final Map<Table, Set<FlowSpec>> flows = Stream.concat(Stream.of(SessionOrder.open(new VrfId(2))), plans()
            .flatMap(plan -> plan.flowSpecs().stream())).collect(Collectors.groupingBy(FlowSpec::table,
                () -> new EnumMap<>(Table.class), Collectors.toSet()));
        final List<String> idle = new ArrayList<>();
        flows.forEach((table, own) -> table.terms().permitted().forEach((clause, names) -> names.stream()
            .filter(name -> own.stream().allMatch(flow -> without(table, clause, name).breach(flow).isEmpty()))
            .forEach(name -> idle.add(table + " " + clause + " " + name))));
        assertThat(idle).isEmpty();
    }

    private static Contract without(final Table table, final Clause clause, final String name) {
        final Terms terms = table.terms();
        final Map<Clause, Set<String>> fewer = new EnumMap<>(terms.permitted());
        final Set<String> names = new LinkedHashSet<>(terms.permitted().get(clause));
        names.remove(name);
        fewer.put(clause, names);
        return new Contract(table, new Terms(fewer, terms.miss(), terms.missTo(), terms.steers()));
    }

    @Test
    void theAgentKeepsTheContractOfItsTable() {
        assertThat(Contract.of(Table.NAT_OPEN).breach(SessionOrder.open(new VrfId(2)))).isEmpty();
    }

    private static Stream<NodePlan> plans() {
        return Stream.concat(GoldenCase.ALL.stream().map(GoldenCase::plan), chains().map(Fixtures::plan));
    }

    /** All that functions are, where chains part. */
    private static Stream<Snapshot> chains() {
        final Snapshot branched = Chained.branched();
        final Snapshot ruled = Chained.ruled();
        final NetworkFunction fw = function(ruled, "fw");
        final NetworkFunction tap = function(ruled, "tap");
        final NetworkFunction spread = tap.spread(new Instance("tap1", State.IN_SERVICE, 1),
            new Instance("tap2", State.IN_SERVICE, 1));
        final Snapshot open = ruled.withTenants(ruled.tenants().values().stream().map(tenant ->
            tenant.with(DualStack.side("2001:db8:6::/64"))
                .with(new Protection(Optional.of("office-in"), false, Quota.NONE))).toList());
        return Stream.of(open, open.withFunctions(List.of(fw.with(new NetworkFunction.Nsh()), spread)),
            open.withFunctions(List.of(fw, tap.with(new NetworkFunction.Nsh()))),
            branched.withFunctions(List.of(function(branched, "fw"), spread,
                function(branched, "scrub").with(new NetworkFunction.Nsh()), function(branched, "watch"))));
    }

    private static NetworkFunction function(final Snapshot network, final String name) {
        return requireNonNull(network.functions().get(name));
    }
}
