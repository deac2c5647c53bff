// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Constants;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What an agent says of floods is carried out for attachments of its node, and for nothing else. */
@Tag("hostile")
@OnEdge
class FloodIT {
    private static final int VLAN = 100;
    private static final String FLOODS = NodeKeys.FLOODS;

    private final Edge edge;
    private final DummyNode node;

    FloodIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    @BeforeEach
    void reset() {
        edge.reset();
        edge.client().put(Documents.path("acme"),
            Documents.tenants(List.of(Documents.tenant("acme", node.name(), VLAN, Documents.FIRST_POOL))));
        edge.awaitApplied();
    }

    @AfterEach
    void end() {
        node.ovs().vsctl("--if-exists", "remove", "Bridge", Constants.BRIDGE, "external_ids", FLOODS);
        Await.until("nothing is limited", this::limited, List::isEmpty);
    }

    private void say(final String places) {
        node.ovs().vsctl("set", "Bridge", Constants.BRIDGE, "external_ids:" + FLOODS + "=\"" + places + "\"");
    }

    private List<String> limited() {
        return node.ovs().ofctl("--names", "dump-flows", Constants.BRIDGE, "table=classify").lines()
            .filter(line -> line.contains("priority=2000,") && line.contains("dl_vlan=" + VLAN)).toList();
    }

    @Test
    void theAttachmentIsLimitedUntilTheAgentTakesItBack() {
        assertThat(limited()).isEmpty();
        say("acc0/100");
        Await.until("it is limited", this::limited, lines -> lines.size() == 3);
        assertThat(limited()).allSatisfy(line -> assertThat(line).contains("actions=meter:"));
        edge.awaitApplied();
        assertThat(Edge.isClean(edge.verify(node))).isTrue();
        assertThat(edge.state("acme")).isEqualTo("active, limited: frames from " + node.name()
            + "/acc0/100 flood the slow path");
        node.ovs().vsctl("remove", "Bridge", Constants.BRIDGE, "external_ids", FLOODS);
        Await.until("it is not limited", this::limited, List::isEmpty);
        assertThat(edge.state("acme")).isEqualTo("active");
    }

    @Test
    void placesThatAreNoAttachmentsChangeNothing() {
        final List<String> before = node.flows();
        say("acc0/99 up0/0 acc9/100 acc0 x/99999");
        edge.client().put(Documents.path("acme"),
            Documents.tenants(List.of(Documents.tenant("acme", node.name(), VLAN, Documents.FIRST_POOL))));
        edge.awaitApplied();
        assertThat(node.flows()).isEqualTo(before);
    }

    @Test
    void aTenantThatTakesThePlaceOverIsLimitedToo() {
        say("acc0/100");
        Await.until("it is limited", this::limited, lines -> lines.size() == 3);
        edge.client().delete(Documents.path("acme"));
        edge.awaitApplied();
        assertThat(limited()).isEmpty();
        edge.client().put(Documents.path("evil"),
            Documents.tenants(List.of(Documents.tenant("evil", node.name(), VLAN, Documents.FIRST_POOL))));
        edge.awaitApplied();
        assertThat(limited()).hasSize(3);
    }
}
