// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.engine.trace.TraceAnswer.Leg;
import io.penstock.pipeline.registry.Table;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PacketEndTest {
    private static final Leg TO_FIREWALL = new Leg("acc0", List.of("fw1-in"), List.of(Table.CLASSIFY, Table.CHAIN_OUT));

    private static Optional<PacketEnd> end(final Leg... legs) {
        return PacketEnd.of(new TraceAnswer("new", BigInteger.ZERO, List.of(legs)), Set.of("fw1-in", "fw1-out", "tap"));
    }

    @Test
    void theLastLegCounts() {
        assertThat(end(TO_FIREWALL, new Leg("fw1-out", List.of("tap", "up0"), List.of(Table.CLASSIFY, Table.NAT_MAP))))
            .contains(new PacketEnd(List.of("up0"), Table.NAT_MAP));
        assertThat(end(TO_FIREWALL, new Leg("fw1-out", List.of(), List.of(Table.CLASSIFY))))
            .contains(new PacketEnd(List.of(), Table.CLASSIFY));
        assertThat(end(new Leg("acc0", List.of(), List.of(Table.CLASSIFY, Table.TENANT_ACL))))
            .contains(new PacketEnd(List.of(), Table.TENANT_ACL));
    }

    @Test
    void ofAPacketThatIsNotFollowedNothingIsKnown() {
        assertThat(end(TO_FIREWALL)).isEmpty();
    }
}
