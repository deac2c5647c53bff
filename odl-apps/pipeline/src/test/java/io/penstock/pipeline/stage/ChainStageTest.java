// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.ChainRule;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("safety")
class ChainStageTest {
    private static final long UNREACHABLE = 3;
    private static final long ECHO_REQUEST = 8;
    private static final long ECHO_REPLY = 0;

    private static Acl.Entry icmp(final long type) {
        return new Acl.Entry("type-" + type, true, Matches.icmp((int) type), List.of());
    }

    /** The ICMP types that flows of the rule match, or nothing for all types. */
    private static Stream<List<Long>> types(final Snapshot network, final Table table) {
        return StageFlows.of(new ChainStage(), network).stream()
            .filter(planned -> planned.label().endsWith("rule some") && planned.flow().table() == table)
            .map(planned -> planned.flow().matches().stream().filter(match -> match.field() == MatchField.ICMP_TYPE)
                .map(FieldMatch::value).toList());
    }

    /** A rule is about connections of the tenant, and there is no answer to an error. */
    @Test
    void aRuleSteersAnswersOfWhatIsAnswered() {
        final Snapshot plain = Fixtures.network(Fixtures.rich().with(List.of(
            new ChainRule("some", 1, "some-icmp", ChainRule.Ways.BOTH, Optional.empty()))));
        final Snapshot network = Snapshot.of(List.copyOf(plain.nodes().values()), plain.backbone(),
            List.copyOf(plain.pools().values()), List.copyOf(plain.functions().values()),
            List.copyOf(plain.chains().values()), List.copyOf(plain.tenants().values()),
            List.of(new Acl("some-icmp", List.of(icmp(ECHO_REQUEST), icmp(UNREACHABLE)))));
        assertThat(types(network, Table.CHAIN_OUT)).containsExactly(List.of(ECHO_REQUEST), List.of(UNREACHABLE));
        assertThat(types(network, Table.CHAIN_IN)).containsExactly(List.of(ECHO_REPLY));
    }
}
