// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static io.penstock.southbound.openflow.ConnectedSwitch.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.wire.PrivateSwitch;
import io.penstock.southbound.openflow.wire.SampleFlows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole way: our API, OpenFlowPlugin, a TCP connection, Open vSwitch, and back. */
class OpenFlowSouthboundIT {
    private static final SwitchId SWITCH = ConnectedSwitch.ID;
    private static final FieldRange VRF = new FieldRange(MatchField.REG0, 15, 0);

    @TempDir
    static Path directory;

    private static ConnectedSwitch connected;
    private static PrivateSwitch target;
    private static OpenFlowSouthbound southbound;

    @BeforeAll
    static void start() throws Exception {
        connected = new ConnectedSwitch(directory);
        target = connected.target();
        southbound = connected.southbound();
        connected.connect();
    }

    @AfterAll
    static void stop() throws Exception {
        connected.close();
    }

    @BeforeEach
    void clear() throws Exception {
        connected.clear();
    }

    @Test
    void everyFlowComesBackAsItWasSent() {
        get(southbound.setMeters(SWITCH, List.of(Meter.BACKBONE_NEIGHBOURS.spec())));
        get(southbound.apply(SWITCH, FlowChanges.of(List.of(), SampleFlows.all())));
        final FlowDump dump = get(southbound.readFlows(SWITCH));
        assertThat(dump.foreign()).isEmpty();
        assertThat(dump.flows()).extracting(InstalledFlow::flow)
            .containsExactlyInAnyOrderElementsOf(SampleFlows.all());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void manyFlowsPassTheQuota(final boolean atomic) {
        final FlowSender sender = atomic ? southbound : connected.plainSender();
        final List<FlowSpec> flows = new ArrayList<>();
        for (int i = 0; i < 25_000; i++) {
            flows.add(new FlowSpec(Table.VRF_ROUTE, 1032, List.of(FieldMatch.of(MatchField.ETH_TYPE, 0x0800),
                FieldMatch.of(VRF, i % 1000), FieldMatch.of(MatchField.IP_DST, i)), List.of(new Action.DecTtl()),
                Optional.of(Table.TENANT_ACL), 99, 0));
        }
        get(sender.apply(SWITCH, FlowChanges.of(List.of(), flows)));
        assertThat(get(southbound.readFlows(SWITCH, 99, -1)).flows()).hasSize(25_000);
        get(sender.apply(SWITCH, FlowChanges.of(flows.stream().map(FlowSpec::key).toList(), List.of())));
        assertThat(get(southbound.readFlows(SWITCH)).flows()).isEmpty();
    }

    @Test
    void bundleWithOneBadFlowChangesNothingAndSaysWhy() {
        assertThatThrownBy(() -> get(southbound.apply(SWITCH, FlowChanges.of(List.of(),
            List.of(flow(1, List.of()), flow(2, List.of(new Action.PopVlan())))))))
            .hasRootCauseInstanceOf(Exception.class).hasMessageContaining("BADACTION code MATCHINCONSISTENT");
        assertThat(get(southbound.readFlows(SWITCH)).flows()).isEmpty();
    }

    @Test
    void bundleThatFailsAtCommitChangesNothingAndSaysWhy() throws Exception {
        target.vsctl("--", "--id=@limit", "create", "Flow_Table", "flow_limit=2", "overflow_policy=refuse",
            "--", "set", "bridge", PrivateSwitch.BRIDGE, "flow_tables:" + Table.EGRESS.number() + "=@limit");
        try {
            assertThatThrownBy(() -> get(southbound.apply(SWITCH, FlowChanges.of(List.of(),
                List.of(flow(1, List.of()), flow(2, List.of()), flow(3, List.of()))))))
                .hasMessageContaining("FLOWMODFAILED code TABLEFULL");
            assertThat(get(southbound.readFlows(SWITCH)).flows()).isEmpty();
        } finally {
            target.vsctl("clear", "bridge", PrivateSwitch.BRIDGE, "flow_tables");
        }
    }

    @Test
    void foreignFlowIsRemovedTogetherWithChanges() throws Exception {
        target.ofctl("add-flow", "table=7,ip,ct_label=0x1/0x1,reg9=3 actions=ct(commit,exec(set_field:7->ct_label))");
        final FlowDump before = get(southbound.readFlows(SWITCH));
        assertThat(before.foreign()).singleElement().satisfies(foreign -> assertThat(foreign.table()).isEqualTo(7));
        final FlowSpec added = flow(4, List.of(new Action.OutputInPort()));
        get(southbound.apply(SWITCH, new FlowChanges(Set.of(), List.of(), before.foreign(), List.of(added))));
        final FlowDump after = get(southbound.readFlows(SWITCH));
        assertThat(after.foreign()).isEmpty();
        assertThat(after.flows()).extracting(InstalledFlow::flow).containsExactly(added);
    }

    @Test
    void flowsOfACookieGoTogether() {
        final FlowSpec mine = flow(1, List.of());
        final FlowSpec yours = new FlowSpec(Table.EGRESS, 2, List.of(), List.of(), Optional.empty(), 2, 0);
        final FlowSpec elsewhere = new FlowSpec(Table.CLASSIFY, 2, List.of(), List.of(), Optional.empty(), 2, 0);
        get(southbound.apply(SWITCH, FlowChanges.of(List.of(), List.of(mine, yours, elsewhere))));
        // Removals come first: what is added with the same cookie stays.
        final FlowSpec added = new FlowSpec(Table.EGRESS, 3, List.of(), List.of(), Optional.empty(), 2, 0);
        get(southbound.apply(SWITCH, new FlowChanges(Set.of(2L), List.of(), List.of(), List.of(added))));
        assertThat(get(southbound.readFlows(SWITCH)).flows()).extracting(InstalledFlow::flow)
            .containsExactlyInAnyOrder(mine, added);
    }

    @Test
    void flushingAZoneTakesItsSessionsAlong() {
        final List<FlowSpec> kept = List.of(session(Table.NAT_SESSIONS, 6, 6), session(Table.NAT_PORTS, 6, 6));
        final List<FlowSpec> all = new ArrayList<>(kept);
        for (int vrf = 4; vrf <= 5; vrf++) {
            all.add(session(Table.NAT_SESSIONS, vrf, vrf));
            all.add(session(Table.NAT_PORTS, vrf, vrf));
        }
        get(southbound.apply(SWITCH, FlowChanges.of(List.of(), all)));
        get(southbound.flush(SWITCH, Set.of(TrackedConnections.ofZone(4), TrackedConnections.ofZone(5)),
            List.of()));
        assertThat(get(southbound.readFlows(SWITCH)).flows()).extracting(InstalledFlow::flow)
            .containsExactlyInAnyOrderElementsOf(kept);
    }

    /** A flow that drops must not show as dropped what the flow before it has forwarded. */
    @Test
    void aFlowThatReplacesAnotherOneStartsItsCountersAtZero() {
        final FlowSpec forwards = arp(List.of(new Action.Load(VRF, 42)));
        get(southbound.apply(SWITCH, FlowChanges.of(List.of(), List.of(forwards))));
        get(southbound.packetOut(SWITCH, 2, List.of(new Action.Resubmit(Table.CLASSIFY)), arpRequest()));
        assertThat(get(southbound.readFlows(SWITCH)).flows()).extracting(InstalledFlow::packets).containsExactly(1L);
        final FlowSpec drops = arp(List.of());
        get(southbound.apply(SWITCH, FlowChanges.of(List.of(), List.of(drops))));
        final InstalledFlow reset = get(southbound.readFlows(SWITCH)).flows().get(0);
        assertThat(reset.flow()).isEqualTo(drops);
        assertThat(reset.packets()).isZero();
    }

    private static FlowSpec arp(final List<Action> actions) {
        return new FlowSpec(Table.CLASSIFY, 7, List.of(FieldMatch.of(MatchField.ETH_TYPE, 0x0806)), actions,
            Optional.empty(), 1, 0);
    }

    @Test
    void packetGoesThroughTheTablesAndComesUpWithItsRegisters() throws Exception {
        final BlockingQueue<PacketIn> packets = new LinkedBlockingQueue<>();
        final byte[] frame = arpRequest();
        get(southbound.apply(SWITCH, FlowChanges.of(List.of(), List.of(new FlowSpec(Table.CLASSIFY, 7,
            List.of(FieldMatch.of(MatchField.IN_PORT, 2)), List.of(new Action.Load(VRF, 42),
                new Action.Controller(0xffff)), Optional.empty(), 0xabcd, 0)))));
        try (OpenFlowSouthbound.Registration registration = southbound.listen((PacketInListener) packets::add)) {
            get(southbound.packetOut(SWITCH, 2, List.of(new Action.Resubmit(Table.CLASSIFY)), frame));
            final PacketIn packet = packets.poll(1, TimeUnit.MINUTES);
            assertThat(packet).isNotNull();
            assertThat(packet.source()).isEqualTo(SWITCH);
            assertThat(packet.inPort()).isEqualTo(2);
            assertThat(packet.cookie()).isEqualTo(0xabcd);
            assertThat(packet.table()).isEqualTo(Table.CLASSIFY.number());
            assertThat(packet.fields()).isEqualTo(Map.of(MatchField.IN_PORT, 2L, MatchField.REG0, 42L));
            assertThat(packet.frame()).isEqualTo(frame);
        }
    }

    @Test
    void packetAfterConnectionTrackingComesUp() throws Exception {
        final BlockingQueue<PacketIn> packets = new LinkedBlockingQueue<>();
        get(southbound.apply(SWITCH, FlowChanges.of(List.of(), List.of(
            new FlowSpec(Table.CLASSIFY, 7, List.of(FieldMatch.of(MatchField.ETH_TYPE, 0x0800)),
                List.of(new Action.ConnTrack(true, new FieldRange(MatchField.REG0, 15, 0), Table.BACKBONE_IN,
                    Optional.of(new Action.Nat.Source(Ipv4.parse("1.2.3.4"))),
                    Optional.of(new Action.Load(MatchField.CT_MARK.range(), 9)))), Optional.empty(), 1, 0),
            new FlowSpec(Table.BACKBONE_IN, 7, List.of(), List.of(new Action.Controller(0xffff)), Optional.empty(),
                2, 0)))));
        try (OpenFlowSouthbound.Registration registration = southbound.listen((PacketInListener) packets::add)) {
            get(southbound.packetOut(SWITCH, 1, List.of(new Action.Resubmit(Table.CLASSIFY)), udp()));
            final PacketIn packet = packets.poll(1, TimeUnit.MINUTES);
            assertThat(packet).isNotNull();
            assertThat(packet.cookie()).isEqualTo(2);
            assertThat(packet.fields()).containsEntry(MatchField.CT_MARK, 9L).containsKey(MatchField.CT_STATE);
        }
    }

    @Test
    void learnedFlowIsReadLikeAnyOther() {
        get(southbound.apply(SWITCH, FlowChanges.of(List.of(), List.of(new FlowSpec(Table.CLASSIFY, 7,
            List.of(FieldMatch.of(MatchField.ETH_TYPE, 0x0806)), List.of(new Action.Load(VRF, 3),
                new Action.Learn(Table.NEIGHBOURS, 100, 60, 0, Optional.empty(), 0x77, List.of(
                    new LearnSpec.MatchCopy(VRF, VRF),
                    new LearnSpec.MatchCopy(MatchField.ARP_SPA.range(), MatchField.REG1.range()),
                    new LearnSpec.LoadCopy(MatchField.ARP_SHA.range(), MatchField.ETH_DST.range()),
                    new LearnSpec.LoadValue(1, new FieldRange(MatchField.REG0, 25, 25))))),
            Optional.empty(), 1, 0)))));
        get(southbound.packetOut(SWITCH, 1, List.of(new Action.Resubmit(Table.CLASSIFY)), arpRequest()));
        final FlowDump dump = get(southbound.readFlows(SWITCH, 0x77, -1));
        assertThat(dump.flows()).extracting(InstalledFlow::flow).containsExactly(new FlowSpec(Table.NEIGHBOURS, 100,
            List.of(FieldMatch.of(VRF, 3), FieldMatch.of(MatchField.REG1, 0x0a000001L)),
            List.of(new Action.Load(MatchField.ETH_DST.range(), 0x020000000001L),
                new Action.Load(new FieldRange(MatchField.REG0, 25, 25), 1)), Optional.empty(), 0x77, 60));
        assertThat(get(southbound.readTable(SWITCH, Table.NEIGHBOURS, 0x77)).flows()).hasSize(1);
        assertThat(get(southbound.readTable(SWITCH, Table.L2_HOSTS, 0x77)).flows()).as("another table").isEmpty();
        assertThat(get(southbound.readTable(SWITCH, Table.NEIGHBOURS, 0x78)).flows()).as("another cookie").isEmpty();
    }

    @Test
    void portsAreToldWithTheirLinkState() throws Exception {
        final BlockingQueue<PortStatus> ports = new LinkedBlockingQueue<>();
        final PortListener listener = new PortListener() {
            @Override
            public void onPort(final SwitchId owner, final PortStatus port) {
                if (port.name().equals("p2")) {
                    ports.add(port);
                }
            }

            @Override
            public void onPortRemoved(final SwitchId owner, final String portId) {
                // Not here.
            }
        };
        try (OpenFlowSouthbound.Registration registration = southbound.listen(listener)) {
            assertThat(ports.poll(1, TimeUnit.MINUTES)).isEqualTo(new PortStatus(SWITCH + ":2", 2, "p2", true));
            target.ofctl("mod-port", "p2", "down");
            assertThat(ports.poll(1, TimeUnit.MINUTES)).isNotNull();
            target.ofctl("mod-port", "p2", "up");
        }
    }

    @Test
    void lossOfTheConnectionIsTold() throws Exception {
        connected.connections().clear();
        final String controller = target.vsctl("get-controller", PrivateSwitch.BRIDGE).strip();
        target.vsctl("del-controller", PrivateSwitch.BRIDGE);
        assertThat(connected.connections().poll(1, TimeUnit.MINUTES)).isEqualTo("disconnected " + SWITCH);
        assertThat(southbound.connected()).isEmpty();
        assertThatThrownBy(() -> get(southbound.readFlows(SWITCH))).hasMessageContaining(SWITCH.toString());
        target.vsctl("set-controller", PrivateSwitch.BRIDGE, controller);
        assertThat(connected.connections().poll(2, TimeUnit.MINUTES)).isEqualTo("connected " + SWITCH);
        assertThat(get(southbound.readFlows(SWITCH)).foreign()).isEmpty();
    }

    @Test
    void aSwitchThatDiesLeavesNobodyWaiting() throws Exception {
        connected.connections().clear();
        target.freeze();
        final List<CompletableFuture<?>> asked = List.of(southbound.readFlows(SWITCH),
            southbound.apply(SWITCH, FlowChanges.of(List.of(), List.of(flow(1, List.of())))),
            southbound.flush(SWITCH, Set.of(TrackedConnections.ofZone(4)), List.of()), southbound.barrier(SWITCH),
            southbound.packetOut(SWITCH, 1, List.of(), arpRequest()), southbound.readMeters(SWITCH),
            southbound.readMeterCounts(SWITCH), southbound.readMeterCounts(SWITCH, Set.of(1)),
            southbound.setMeters(SWITCH, List.of(Meter.BACKBONE_NEIGHBOURS.spec())),
            southbound.deleteMeters(SWITCH, Set.of(1)));
        assertThat(asked).noneMatch(CompletableFuture::isDone);
        target.restart();
        asked.forEach(answer -> assertThatThrownBy(() -> get(answer)).hasMessageContaining(SWITCH.toString()));
        assertThat(connected.connections().poll(2, TimeUnit.MINUTES)).isEqualTo("disconnected " + SWITCH);
        assertThat(connected.connections().poll(2, TimeUnit.MINUTES)).isEqualTo("connected " + SWITCH);
        get(southbound.apply(SWITCH, FlowChanges.of(List.of(), List.of(flow(1, List.of())))));
    }

    private static FlowSpec flow(final int priority, final List<Action> actions) {
        return new FlowSpec(Table.EGRESS, priority, List.of(), actions, Optional.empty(), 1, 0);
    }

    private static FlowSpec session(final Table table, final int owner, final int vrf) {
        return new FlowSpec(table, 1, List.of(Register.VRF.is(vrf)), List.of(), Optional.empty(),
            Cookie.of(Cookie.Kind.SESSION, owner), 0);
    }

    private static byte[] arpRequest() {
        return HexFormat.of().parseHex("ffffffffffff020000000001080600010800060400010200000000010a000001"
            + "0000000000000a000002000000000000000000000000000000000000");
    }

    private static byte[] udp() {
        return HexFormat.of().parseHex("02000000000202000000000108004500002000004000401126cb"
            + "0a0000010a00000204d20035000c0000" + "00000000".repeat(5));
    }
}
