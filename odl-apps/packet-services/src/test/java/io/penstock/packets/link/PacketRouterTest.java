// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which service gets a packet, and how it is counted. */
class PacketRouterTest {
    private static final int UNKNOWN = 253;

    private final LastDropped dropped = new LastDropped(InstantSource.fixed(Instant.EPOCH));
    private final List<String> got = new ArrayList<>();
    private final PacketRouter router = new PacketRouter(dropped)
        .route(Table.NEIGHBOUR_FOUND, "first", packet -> take("first", packet.inPort() == 1))
        .route(Table.NEIGHBOUR_FOUND, "second", packet -> take("second", packet.inPort() == 2))
        .route(Table.DHCP_REQUEST, "failing", packet -> {
            throw new IllegalStateException("on purpose");
        });

    private Fate take(final String service, final boolean isMine) {
        got.add(service);
        return isMine ? Fate.TAKEN : Fate.NOT_MINE;
    }

    private void send(final int table, final int port) {
        router.onPacketIn(new PacketIn(new SwitchId(1), port, 0, table, Map.of(), new byte[64]));
    }

    @Test
    void aPacketIsHandledByTheServicesOfItsTableUntilOneTakesIt() {
        send(Table.NEIGHBOUR_FOUND.number(), 1);
        assertThat(got).containsExactly("first");
        send(Table.NEIGHBOUR_FOUND.number(), 2);
        assertThat(got).containsExactly("first", "first", "second");
        send(Table.ROUTING_ERROR.number(), 1);
        send(UNKNOWN, 1);
        assertThat(got).hasSize(3);
        assertThat(router.tables()).containsExactlyInAnyOrder(Table.NEIGHBOUR_FOUND, Table.DHCP_REQUEST);
    }

    @Test
    void aServiceThatFailsIsCountedAndHoldsNoOtherUp() {
        send(Table.DHCP_REQUEST.number(), 1);
        send(Table.NEIGHBOUR_FOUND.number(), 1);
        assertThat(router.counts().all().get("failing").failed()).isEqualTo(1);
        assertThat(router.counts().all().get("first").taken()).isEqualTo(1);
        assertThat(router.counts().all()).containsKey("second");
    }
}
