// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.configuration.Desired;
import io.penstock.operations.NatPreview.Moved;
import io.penstock.operations.PoolChange;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PreviewTest {
    private static final int VRF = 3;
    private static final Prefix LAN = Prefix.parse("10.0.0.0/24");
    private static final Tenant.Nat NAT = new Tenant.Nat(Optional.empty(), Optional.of("public"), List.of(), List.of(),
        List.of(new Tenant.PortBlocks(LAN, Prefix.parse("198.51.100.0/31"), 512, 2)), List.of(), Set.of());
    private static final Desired DESIRED = new Desired(1, Snapshot.of(
        List.of(new Node("edge1", "", List.of(new Node.Port("acc0", Node.Role.ACCESS, Node.PortType.SYSTEM, "")))),
        Backbone.NONE, List.of(new Pool("public", List.of(Prefix.parse("203.0.113.0/31")))), List.of(), List.of(),
        List.of(new Tenant("red", List.of(new Tenant.Attachment("lan", "edge1", "acc0", 100)),
            List.of(new Tenant.Subnet("lan", LAN, Ipv4.parse("10.0.0.1"), List.of())), List.of(), Optional.of(NAT),
            Optional.empty(), Optional.empty())), List.of()),
        new Allocations(VRF, new TreeMap<>(Map.of("edge1", 1)), new TreeMap<>(Map.of("edge1", new TreeMap<>(Map.of(
            "acc0", 1)))), Map.of("red", new TenantAllocation(VRF, Optional.of(Ipv4.parse("203.0.113.0")), List.of(
                new Block(Ipv4.parse("10.0.0.5"), Ipv4.parse("198.51.100.0"), 1024, 512))))));

    /** What a session to a public port comes back by. */
    private static FlowSpec session(final int vrf, final String address, final int port) {
        return new FlowSpec(Table.NAT_SESSIONS, Priority.NORMAL,
            List.of(FieldMatch.of(MatchField.IP_PROTO, IpProtocol.UDP),
                FieldMatch.of(MatchField.IP_DST, Ipv4.parse(address)), FieldMatch.of(MatchField.UDP_DST, port)),
            List.of(), Optional.empty(), Cookie.of(Cookie.Kind.SESSION, vrf), 0);
    }

    @Test
    void sessionsAreCountedWithWhoeverLosesTheirAddressOrPorts() {
        final List<FlowSpec> flows = List.of(session(VRF, "203.0.113.0", 9), session(VRF, "203.0.113.0", 65535),
            session(VRF + 1, "203.0.113.0", 9), session(VRF, "198.51.100.0", 1024),
            session(VRF, "198.51.100.0", 1535), session(VRF, "198.51.100.0", 1536));
        assertThat(Preview.of(DESIRED, new PoolChange.OfPool("public", List.of("203.0.113.1/32")),
            Map.of("edge1", flows)).moves())
            .containsExactly(new Moved("red", "", "203.0.113.0", "203.0.113.1", 0, 2));
        assertThat(Preview.of(DESIRED, new PoolChange.OfPortBlock("red", "10.0.0.0/24", Optional.empty(),
            Optional.of(1024)),
            Map.of("edge1", flows)).moves())
            .containsExactly(new Moved("red", "10.0.0.5", "198.51.100.0", "", 1, 2));
        assertThat(Preview.of(DESIRED, new PoolChange.OfPool("public", List.of("203.0.113.0/30")),
            Map.of("edge1", flows)).moves())
            .isEmpty();
    }

    @Test
    void nobodyMovesToWhatIsDrained() {
        final Pool drained = new Pool("public", List.of(Prefix.parse("203.0.113.0/29")),
            List.of(Prefix.parse("203.0.113.0/30"), Prefix.parse("203.0.113.4/32")), false, Optional.empty());
        assertThat(Preview.of(new Desired(1, DESIRED.snapshot().with(drained), DESIRED.allocations()),
            new PoolChange.OfPool("public", List.of("203.0.113.4/30")), Map.of()).moves())
            .containsExactly(new Moved("red", "", "203.0.113.0", "203.0.113.5", 0, 0));
    }

    @Test
    void whatWouldBeRefusedIsNamed() {
        assertThatThrownBy(() -> Preview.of(DESIRED, new PoolChange.OfPool("east", List.of("203.0.113.0/30")),
            Map.of())).hasMessage("pool: there is no pool 'east'");
        assertThatThrownBy(() -> Preview.of(DESIRED, new PoolChange.OfPool("public", List.of()), Map.of()))
            .hasMessage("prefix: is missing");
        assertThatThrownBy(() -> Preview.of(DESIRED, new PoolChange.OfPool("public", List.of("198.51.100.0/24")),
            Map.of())).hasMessageContaining("public-prefix: 198.51.100.0/31 overlaps 198.51.100.0/24 of pool public");
        assertThatThrownBy(() -> Preview.of(DESIRED, new PoolChange.OfPortBlock("red", "10.0.0.0/25",
            Optional.empty(), Optional.empty()), Map.of()))
            .hasMessage("inside-prefix: tenant red has no port-block 10.0.0.0/25");
        assertThatThrownBy(() -> Preview.of(DESIRED, new PoolChange.OfPortBlock("red", "10.0.0.0/24",
            Optional.empty(), Optional.of(500)), Map.of()))
            .hasMessageContaining("block-size: 500 is not a power of two from 16 to 16384");
    }
}
