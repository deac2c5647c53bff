// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.OvsSandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A class of packet tests finds the node as new, whatever the one before has done with it. */
class SharedNodePacketsIT {
    /** What connection tracking has and is told, by the command that shows it. */
    private static final List<List<String>> COMMANDS = List.of(List.of("dpctl/ct-get-maxconns"),
        List.of("dpctl/ct-get-tcp-seq-chk"), List.of("dpctl/ipf-get-status"), List.of("dpctl/ct-get-limits", "zone=2"),
        List.of("dpctl/ct-get-nconns"));

    @Test
    void nothingIsLeftToTheNextClass() throws IOException {
        final List<String> before;
        final String process;
        try (PacketNode node = new PacketNode()) {
            before = state(node.node().ovs());
            process = process(node);
            final TenantPair pair = new TenantPair(node.network());
            node.load(TenantPair.intent());
            pair.reachTheirGateways();
            pair.areTranslated();
            final OvsSandbox ovs = node.node().ovs();
            ovs.appctl("dpctl/ct-set-maxconns", "7");
            ovs.appctl("dpctl/ct-enable-tcp-seq-chk");
            ovs.appctl("dpctl/ipf-set-min-frag", "v4", "1300");
            ovs.vsctl("add-br", "br-left", "--", "set", "Bridge", "br-left", "datapath_type=netdev");
            assertThat(node.connections()).isNotEmpty();
            ovs.appctl("dpctl/ct-set-limits", "default=9", "zone=2,limit=1");
            assertThat(state(ovs)).doesNotContainAnyElementsOf(before);
        }
        try (PacketNode node = new PacketNode()) {
            assertThat(process(node)).isEqualTo(process);
            assertThat(state(node.node().ovs())).isEqualTo(before);
            assertThat(node.connections()).isEmpty();
            final TenantPair pair = new TenantPair(node.network());
            node.load(TenantPair.intent());
            // The hosts of before have other MAC addresses: were they known still, answers would go there.
            pair.first().meets(TenantPair.GATEWAY);
            assertThat(pair.first().askTcp(EdgeNetwork.SERVER, TenantPair.WEB)).isEqualTo(TenantPair.FIRST_PUBLIC);
        }
    }

    @Test
    void twoClassesDoNotShareItAtTheSameTime() {
        try (PacketNode node = new PacketNode()) {
            assertThat(node.node().ovs().vsctl("list-br").strip()).isEqualTo(Constants.BRIDGE);
            assertThatThrownBy(PacketNode::new).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("another test has the node");
        }
    }

    private static List<String> state(final OvsSandbox ovs) {
        final List<String> state = new ArrayList<>();
        COMMANDS.forEach(command -> state.add(command + ": " + ovs.appctl(command.toArray(String[]::new))));
        state.add("bridges: " + ovs.vsctl("list-br"));
        state.add("flows: " + ovs.ofctl("dump-flows", Constants.BRIDGE).replaceAll("duration=[0-9.]+s", ""));
        return state;
    }

    private static String process(final PacketNode node) throws IOException {
        return Files.readString(node.node().ovs().directory().resolve("ovs-vswitchd.process"));
    }
}
