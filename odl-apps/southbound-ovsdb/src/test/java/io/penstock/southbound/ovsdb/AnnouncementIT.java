// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a real database says of its node. */
@Timeout(120)
class AnnouncementIT extends ConnectedNode {
    private ApplyResult apply() {
        return session.apply(Specs.bridge(List.of(Specs.system("acc0", 1)))).join();
    }

    @Test
    void announcementWithQuotesBracesAndBackslashesIsRead() {
        node.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.PORTS
            + "=\"[{\\\"name\\\":\\\"a}\\\",\\\"role\\\":\\\"access\\\","
            + "\\\"type\\\":\\\"dpdk\\\",\\\"devargs\\\":\\\"x\\\\\\\\\\\"}]\"");

        Await.until("ports announced", () -> !session.announcement().ports().isEmpty());
        assertThat(session.announcement().ports()).containsExactly(
            new AnnouncedPort("a}", "access", "dpdk", "x\\"));
    }

    @Test
    void whatTheNodeHasForFunctionsIsFollowed() {
        apply();
        assertThat(session.announcement().functions()).isEmpty();
        final String key = "external_ids:" + NodeKeys.NODE_FUNCTIONS + "=";
        node.vsctl("set", "Bridge", "br-penstock", key
            + "\"{\\\"cores\\\":[0,1],\\\"functions\\\":"
            + "{\\\"f\\\":{\\\"mode\\\":\\\"routed\\\",\\\"shared\\\":false}}}\"");
        Await.until("what it has", () -> session.announcement().functions().equals(Optional.of(
            new NodeFunctions(Set.of(0, 1), Map.of("f", new NodeFunctions.Entry(false, true, false))))));
        assertThat(apply().changes()).isZero();
        node.vsctl("set", "Bridge", "br-penstock", key + "nonsense");
        Await.until("nothing", () -> session.announcement().functions().isEmpty());
        assertThat(session.announcement().name()).isEqualTo("pe1");
    }
}
