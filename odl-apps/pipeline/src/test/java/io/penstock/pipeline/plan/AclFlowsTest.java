// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.plan.RandomLists.Flow;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How many flows lists become, and whether they mean the same. */
@Tag("safety")
class AclFlowsTest {
    private static final int PACKETS = 400;

    /** A network of one tenant with these lists. */
    private static Snapshot guarded(final Acl out, final Acl in, final boolean stateful) {
        final Snapshot network = Fixtures.network(Fixtures.guarded(Optional.of(out.name()), Optional.of(in.name()),
            stateful));
        return Snapshot.of(List.copyOf(network.nodes().values()), network.backbone(),
            List.copyOf(network.pools().values()), List.copyOf(network.functions().values()),
            List.copyOf(network.chains().values()), List.copyOf(network.tenants().values()),
            List.of(network.acls().get("keep-out"), out, in));
    }

    private static List<FlowSpec> flows(final NodePlan plan, final Table table) {
        return plan.tenantFlows().values().iterator().next().stream().map(each -> each.flow())
            .filter(flow -> flow.table() == table).sorted(Comparator.comparing(FlowSpec::priority).reversed()).toList();
    }

    /** One for each entry and each block of its ranges, and one for the rest. */
    private static long bound(final Acl acl) {
        return 1 + acl.entries().stream()
            .mapToLong(entry -> 1 + blocks(entry.match().ports().source())
                + blocks(entry.match().ports().destination())).sum();
    }

    /** Aligned blocks of a range, counted by taking the largest that fits, again and again. */
    private static long blocks(final Optional<PortRange> range) {
        if (range.isEmpty()) {
            return 0;
        }
        long count = 0;
        for (int low = range.orElseThrow().low(); low <= range.orElseThrow().high(); count++) {
            int size = 1;
            while (low % (2 * size) == 0 && low + 2 * size - 1 <= range.orElseThrow().high()) {
                size *= 2;
            }
            low += size;
        }
        return count;
    }

    @RepeatedTest(50)
    void flowsGrowWithEntriesAndBlocksAndNotWithTheirProduct(final RepetitionInfo repetition) {
        final RandomLists random = new RandomLists(repetition.getCurrentRepetition());
        final Acl out = random.list("out");
        final Acl in = random.list("in");
        final NodePlan stateless = Fixtures.plan(guarded(out, in, false));
        final NodePlan stateful = Fixtures.plan(guarded(out, in, true));
        assertThat(flows(stateless, Table.TENANT_ACL).size()).isLessThanOrEqualTo((int) bound(out));
        assertThat(flows(stateless, Table.TENANT_ACL_IN).size()).isLessThanOrEqualTo((int) bound(in));
        // Once more for answers, and one for their fragments.
        assertThat(flows(stateful, Table.TENANT_ACL).size()).isLessThanOrEqualTo((int) bound(out));
        assertThat(flows(stateful, Table.TENANT_ACL_REPLY).size()).isLessThanOrEqualTo((int) bound(in) + 1);
        assertThat(flows(stateful, Table.TENANT_ACL_IN_REPLY).size()).isLessThanOrEqualTo((int) bound(out) + 1);
    }

    @Test
    void twoWideRangesAreAConjunction() {
        final Acl wide = new Acl("wide", List.of(new Acl.Entry("udp", true, Matches.ports(Optional.of(17),
            Optional.of(new PortRange(1, 65534)), Optional.of(new PortRange(1, 65534))), List.of())));
        assertThat(blocks(wide.entries().get(0).match().ports().source())).isEqualTo(30);
        assertThat(flows(Fixtures.plan(guarded(wide, wide, false)), Table.TENANT_ACL)).hasSize(30 + 30 + 1 + 1);
    }

    @RepeatedTest(50)
    void flowsMeanWhatTheListMeans(final RepetitionInfo repetition) {
        final RandomLists random = new RandomLists(repetition.getCurrentRepetition());
        final Acl out = random.list("out");
        final Acl in = random.list("in");
        final NodePlan plan = Fixtures.plan(guarded(out, in, false));
        final NodePlan stateful = Fixtures.plan(guarded(out, in, true));
        for (int count = 0; count < PACKETS; count++) {
            final Flow packet = random.packet();
            assertThat(permits(flows(plan, Table.TENANT_ACL), packet)).as("%s by %s", packet.text(), out)
                .isEqualTo(RandomLists.permits(out, packet));
            if (packet.protocol() != 1 || packet.sourcePort() == 8) {
                assertThat(permits(flows(stateful, Table.TENANT_ACL_IN_REPLY), packet.answer()))
                    .as("answer to %s by %s", packet.text(), out).isEqualTo(RandomLists.permits(out, packet));
            }
        }
    }

    /** What a switch would do: the first flow that matches, and of conjunctions those that have all clauses. */
    private static boolean permits(final List<FlowSpec> flows, final Flow packet) {
        final Map<MatchField, Long> fields = fields(packet);
        final Map<Long, Set<Integer>> clauses = new TreeMap<>();
        for (final FlowSpec flow : flows) {
            flow.actions().stream().filter(Action.Conjunction.class::isInstance).map(Action.Conjunction.class::cast)
                .filter(each -> matches(flow, fields, Set.of()))
                .forEach(each -> clauses.computeIfAbsent(each.id(), id -> new HashSet<>()).add(each.clause()));
        }
        final List<Long> complete = new ArrayList<>();
        clauses.forEach((id, met) -> {
            if (met.size() == 2) {
                complete.add(id);
            }
        });
        return flows.stream().filter(flow -> flow.actions().stream().noneMatch(Action.Conjunction.class::isInstance))
            .filter(flow -> matches(flow, fields, Set.copyOf(complete))).findFirst().orElseThrow().next().isPresent();
    }

    /** Registers and states are not looked at: they are the same for all flows of a list. */
    private static boolean matches(final FlowSpec flow, final Map<MatchField, Long> fields, final Set<Long> complete) {
        return flow.matches().stream().allMatch(match -> is(match, fields, complete));
    }

    private static boolean is(final FieldMatch match, final Map<MatchField, Long> fields, final Set<Long> complete) {
        if (match.field() == MatchField.CONJ_ID) {
            return complete.contains(match.value());
        }
        if (match.field().isRegister() || match.field() == MatchField.CT_STATE) {
            return true;
        }
        return fields.containsKey(match.field()) && (fields.get(match.field()) & match.mask()) == match.value();
    }

    private static Map<MatchField, Long> fields(final Flow packet) {
        final Map<MatchField, Long> fields = new TreeMap<>(Map.of(MatchField.ETH_TYPE, 0x800L, MatchField.IP_FRAG, 0L,
            MatchField.IP_SRC, packet.source().number(), MatchField.IP_DST, packet.destination().number(),
            MatchField.IP_PROTO, (long) packet.protocol()));
        switch (packet.protocol()) {
            case 1 -> {
                fields.put(MatchField.ICMP_TYPE, (long) packet.sourcePort());
                fields.put(MatchField.ICMP_CODE, (long) packet.destinationPort());
            }
            case 6 -> {
                fields.put(MatchField.TCP_SRC, (long) packet.sourcePort());
                fields.put(MatchField.TCP_DST, (long) packet.destinationPort());
            }
            case 17 -> {
                fields.put(MatchField.UDP_SRC, (long) packet.sourcePort());
                fields.put(MatchField.UDP_DST, (long) packet.destinationPort());
            }
            default -> { }
        }
        return fields;
    }
}
