// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is reported of the addresses of a pool. */
@OnEdge
class PoolEventsIT {
    private static final int VLAN = 310;
    private static final String POOL = Documents.NETWORK + "/pool=" + Documents.SMALL_POOL;

    private final Edge edge;

    PoolEventsIT(final Edge edge) {
        this.edge = edge;
    }

    @BeforeEach
    void reset() {
        edge.reset();
    }

    /** A pool of two addresses with further leaves. */
    private static String pool(final String more) {
        return Documents.list("pool", List.of("{'name': '%s', 'prefix': ['198.51.100.0/31'], %s}"
            .formatted(Documents.SMALL_POOL, more)));
    }

    private void add(final String tenant, final int vlan) {
        edge.client().add("tenant", Documents.tenant(tenant, edge.first().name(), vlan, Documents.SMALL_POOL));
        edge.awaitApplied();
    }

    private static void awaitEvent(final DataClient.Events stream, final int index, final String expected) {
        Await.until("event " + index, () -> stream.events().size() > index);
        assertThat(stream.events().get(index).toString().replace('"', '\'')).contains(expected.split(" "));
    }

    @Test
    void thresholdsAndEmptyDrainsAreReported() {
        edge.client().put(POOL, pool("'notify-pool-usage': {'high-threshold': 100, 'low-threshold': 50}"));
        try (DataClient.Events stream = edge.client().listen("nat-pool-event")) {
            add("first", VLAN);
            add("second", VLAN + 1);
            awaitEvent(stream, 0, "'event':'high-threshold' 'pool':'small' 'used':'2' 'size':'2'");
            awaitEvent(stream, 1, "'event':'exhausted' 'pool':'small' 'used':'2' 'size':'2'");
            edge.client().delete(Documents.path("second"));
            awaitEvent(stream, 2, "'event':'low-threshold' 'used':'1'");
            edge.client().patch(POOL, pool("'drain': ['198.51.100.0/32']"));
            assertThat(edge.publicAddress("first")).isEqualTo("198.51.100.0");
            edge.client().delete(Documents.path("first"));
            awaitEvent(stream, 3, "'event':'drained' 'pool':'small' 'prefix':'198.51.100.0/32' 'used':'0' 'size':'1'");
            assertThat(stream.events()).hasSize(4);
        }
    }
}
