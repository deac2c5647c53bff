// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.FunctionMeter;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.rules.Validator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No packet of a tenant reaches the controller but by a meter of that tenant. */
class ControllerPacketsTest {
    private static final int NETWORKS = 10;
    private static final int STEPS = 20;

    @Test
    void ofEveryCase() {
        int heard = 0;
        for (final GoldenCase each : GoldenCase.ALL) {
            final Map<Integer, Tenant> tenants = new TreeMap<>();
            Allocator.allocate(each.snapshot(), Allocations.none()).tenants().forEach((name, given) ->
                tenants.put(given.id(), each.snapshot().tenants().get(name)));
            heard += check(each.name(), each.plan(), tenants);
        }
        assertThat(heard).isPositive();
    }

    @Test
    void ofRandomNetworks() {
        int heard = 0;
        for (int seed = 0; seed < NETWORKS; seed++) {
            final RandomNetwork network = new RandomNetwork(seed, false);
            Allocations allocations = Allocations.none();
            for (int step = 0; step < STEPS; step++) {
                final Snapshot snapshot = network.next();
                if (Validator.validate(snapshot, allocations).isEmpty()) {
                    allocations = Allocator.allocate(snapshot, allocations);
                    final Map<Integer, Tenant> tenants = new TreeMap<>();
                    allocations.tenants().forEach((name, given) ->
                        tenants.put(given.id(), snapshot.tenants().get(name)));
                    heard += check("seed " + seed + ", step " + step,
                        Planner.plan(snapshot, allocations, Set.of(), "edge1"), tenants);
                }
            }
        }
        assertThat(heard).isPositive();
    }

    /** Number of flows that the controller hears of. */
    private static int check(final String where, final NodePlan plan, final Map<Integer, Tenant> tenants) {
        final List<FlowSpec> heard = plan.flowSpecs().stream().filter(flow -> hears(flow.actions())).toList();
        for (final FlowSpec flow : heard) {
            final int meter = meterBefore(flow);
            assertThat(plan.meters()).as(where + ": " + flow).containsKey(meter);
            final int vrf = TenantMeter.vrfOf(meter).map(VrfId::number).orElse(0);
            if (vrf != 0) {
                assertThat(is(flow, Register.VRF, vrf) || is(flow, Register.SENDER, vrf))
                    .as(where + ": is a meter of whose packets it is: " + flow).isTrue();
            } else if (Arrays.stream(Meter.values()).anyMatch(node -> node.number() == meter)) {
                assertThat(tenants.keySet()).as(where + ": tenants that have it to themselves: " + flow)
                    .allMatch(own -> hasItsOwn(heard, flow, own, reachesBackbone(tenants.get(own))));
            } else {
                assertThat(meter).as(where + ": " + flow).isGreaterThanOrEqualTo(FunctionMeter.number(1));
            }
        }
        for (final FlowSpec flow : plan.flowSpecs()) {
            if (flow.table() != Table.CLASSIFY && flow.actions().contains(Register.VRF.load(VrfId.BACKBONE.number()))) {
                assertThat(flow.actions()).as(where + ": tells who sent it: " + flow).containsSubsequence(
                    new Action.Move(Register.VRF.range(), Register.SENDER.range()),
                    Register.VRF.load(VrfId.BACKBONE.number()));
            }
        }
        return heard.size();
    }

    private static boolean reachesBackbone(final Tenant tenant) {
        return tenant.nat().isPresent() || tenant.ipv6().isPresent();
    }

    /** Whether the packets of a tenant meet another flow of the table than one of the node. */
    private static boolean hasItsOwn(final List<FlowSpec> heard, final FlowSpec node, final int vrf,
            final boolean reachesBackbone) {
        // What enters the backbone from a tenant has its sender, so the two do not meet.
        final boolean ofNoTenant = is(node, Register.SENDER, 0) && is(node, Register.VRF, VrfId.BACKBONE.number());
        return Stream.of(false, true).filter(sent -> reachesBackbone || !sent).allMatch(sent -> heard.stream()
            .filter(flow -> flow.table() == node.table() && (ofNoTenant || flow.priority() > node.priority()))
            .anyMatch(flow -> sent ? is(flow, Register.SENDER, vrf) && flow.matches().size() == 1
                : is(flow, Register.VRF, vrf) && is(flow, Register.SENDER, 0) && flow.matches().size() == 2));
    }

    private static boolean is(final FlowSpec flow, final Register register, final long value) {
        return flow.matches().stream().anyMatch(match -> match.field() == register.range().field()
            && (match.mask() & register.range().mask()) == register.range().mask()
            && register.in(match.value()) == value);
    }

    private static boolean hears(final List<Action> actions) {
        return actions.stream().anyMatch(action -> action instanceof Action.Controller
            || action instanceof Action.Clone copy && hears(copy.actions()));
    }

    /** The meter that stands before all else; 0 when there is none. */
    private static int meterBefore(final FlowSpec flow) {
        final List<Integer> meters = new ArrayList<>();
        for (final Action action : flow.actions()) {
            if (action instanceof Action.Meter meter) {
                meters.add(meter.id());
            } else if (action instanceof Action.Controller) {
                break;
            }
        }
        return meters.size() == 1 ? meters.get(0) : 0;
    }
}
