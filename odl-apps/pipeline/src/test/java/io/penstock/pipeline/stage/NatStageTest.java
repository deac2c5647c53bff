// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.plan.Fixtures;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NatStageTest {
    private static final Ipv4 SERVER = Ipv4.parse("10.0.0.20");

    private static List<PlannedFlow> flows(final Tenant.PortForward... forwards) {
        return StageFlows.of(new NatStage(), Fixtures.network(Fixtures.tenant("t", 100).with(new Tenant.Nat(
            Optional.empty(), Optional.of("public"), List.of(), List.of(), List.of(), List.of(forwards),
            Set.of(Alg.FTP)))));
    }

    /** The ALG has to see a control connection from its first packet on. */
    @Test
    void aPublishedFtpServerIsBehindTheAlgAndNoOtherServiceIs() {
        final List<PlannedFlow> flows = flows(new Tenant.PortForward("ftp", IpProtocol.TCP, 21, SERVER, 2121),
            new Tenant.PortForward("tftp", IpProtocol.UDP, 21, SERVER, 21),
            new Tenant.PortForward("web", IpProtocol.TCP, 80, SERVER, 21));
        assertThat(flows.stream().filter(planned -> planned.label().startsWith("port forward "))
            .filter(planned -> planned.flow().actions().stream().anyMatch(action ->
                action instanceof Action.ConnTrack ct && ct.alg().isPresent())).map(PlannedFlow::label))
            .containsExactly("port forward ftp");
    }

    /** A packet to the helper can end some switches. */
    @Test
    void aNodeWithoutTheHelperHasNoFlowForIt() {
        final Snapshot network = Fixtures.network(Fixtures.published());
        assertThat(flowsWithHelper(network)).isNotEmpty();
        assertThat(flowsWithHelper(Fixtures.withoutFtpHelper(network))).isEmpty();
    }

    private static List<FlowSpec> flowsWithHelper(final Snapshot network) {
        return Fixtures.plan(network).flowSpecs().stream().filter(flow -> flow.actions().stream()
            .anyMatch(action -> action instanceof Action.ConnTrack ct && ct.alg().isPresent())).toList();
    }
}
