// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.FlowText;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Meter;
import io.penstock.southbound.openflow.wire.WireMessages.BundleControl;
import io.penstock.southbound.openflow.wire.WireMessages.MeterCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is planned, sent, and dumped by Open vSwitch is the same: for every field and action that there is. */
class WireSwitchIT {
    @TempDir
    static Path directory;

    private static PrivateSwitch target;

    @BeforeAll
    static void start() throws Exception {
        target = new PrivateSwitch(directory);
        try (PlainConnection connection = new PlainConnection(target.managementSocket())) {
            assertThat(connection.send(List.of(meter(MeterCommand.ADD)))).isEmpty();
        }
    }

    private static byte[] meter(final MeterCommand command) {
        return WireMessages.meter(Meter.BACKBONE_NEIGHBOURS.spec(), command);
    }

    @Test
    void aMeterIsMadeOnceAndChangedAgainAndAgain() throws Exception {
        try (PlainConnection connection = new PlainConnection(target.managementSocket())) {
            assertThat(connection.send(List.of(meter(MeterCommand.ADD)))).as("it is there").isNotEmpty();
            assertThat(connection.send(List.of(meter(MeterCommand.MODIFY), meter(MeterCommand.MODIFY)))).isEmpty();
        }
        assertThat(target.ofctl("dump-meters")).contains("meter=2 pktps burst bands=", "type=drop rate=100",
            "burst_size=200");
    }

    @Test
    void aMeterOfKilobitsIsMadeAndGoesWithTheFlowsThatNameIt() throws Exception {
        final MeterSpec meter = new MeterSpec((1 << 18) - 1, MeterSpec.Unit.KILOBITS, 0xffffffffL, 20);
        try (PlainConnection connection = new PlainConnection(target.managementSocket())) {
            assertThat(connection.send(List.of(WireMessages.meter(meter, MeterCommand.ADD)))).isEmpty();
            assertThat(target.ofctl("dump-meters")).contains("meter=262143 kbps burst bands=",
                "type=drop rate=4294967295 burst_size=20");
            target.ofctl("add-flow", "table=3,actions=meter:262143,output:1");
            assertThat(connection.send(List.of(WireMessages.deleteMeter(meter.id()),
                WireMessages.deleteMeter(meter.id())))).as("errors").isEmpty();
            assertThat(connection.dump()).isEmpty();
        }
        assertThat(target.ofctl("dump-meters")).doesNotContain("262143");
    }

    @Test
    void connectionsOfAnAddressAreForgotten() throws Exception {
        final byte[] message = WireMessages.flushAddress(7, Ipv4.parse("198.51.100.5"));
        try (PlainConnection connection = new PlainConnection(target.managementSocket())) {
            assertThat(connection.send(List.of(message))).as("errors").isEmpty();
        }
        assertThat(target.print(message)).contains("NXT_CT_FLUSH", "zone=7 'ct_nw_src=::,ct_nw_dst=::,",
            "' 'ct_nw_src=::,ct_nw_dst=198.51.100.5,ct_tp_src=0,ct_tp_dst=0'");
    }

    @AfterAll
    static void stop() throws Exception {
        target.close();
    }

    @BeforeEach
    void clear() throws Exception {
        target.ofctl("del-flows");
    }

    @Test
    void everyFlowComesBackAsItWasSent() throws Exception {
        try (PlainConnection connection = new PlainConnection(target.managementSocket())) {
            for (final FlowSpec flow : SampleFlows.all()) {
                assertThat(connection.send(List.of(WireMessages.add(flow)))).as(flow.toString()).isEmpty();
            }
            assertThat(connection.dump()).extracting(WireFlow::spec).containsExactlyInAnyOrderElementsOf(
                SampleFlows.all().stream().map(Optional::of).toList());
        }
    }

    @Test
    void flowsOfTheTextFormAreTheSameFlows() throws Exception {
        final List<FlowSpec> flows = SampleFlows.all().stream()
            .filter(flow -> flow.matches().stream().allMatch(WireSwitchIT::hasText)).toList();
        final Path text = Files.write(directory.resolve("flows.txt"),
            flows.stream().map(FlowText.NUMBERS::render).toList());
        target.ofctl("add-flows", text.toString());
        try (PlainConnection connection = new PlainConnection(target.managementSocket())) {
            assertThat(connection.dump()).extracting(WireFlow::spec)
                .containsExactlyInAnyOrderElementsOf(flows.stream().map(Optional::of).toList());
        }
    }

    @Test
    void everyFlowIsDeletedByItsKeyInABundle() throws Exception {
        try (PlainConnection connection = new PlainConnection(target.managementSocket())) {
            final List<byte[]> messages = new ArrayList<>();
            SampleFlows.all().forEach(flow -> messages.add(WireMessages.add(flow)));
            messages.add(WireMessages.bundleControl(5, BundleControl.OPEN));
            SampleFlows.all().forEach(flow ->
                messages.add(WireMessages.bundleAdd(5, WireMessages.delete(flow.key()))));
            messages.add(WireMessages.bundleControl(5, BundleControl.CLOSE));
            assertThat(connection.send(messages)).isEmpty();
            assertThat(connection.dump()).hasSameSizeAs(SampleFlows.all());
            assertThat(connection.send(List.of(WireMessages.bundleControl(5, BundleControl.COMMIT)))).isEmpty();
            assertThat(connection.dump()).isEmpty();
        }
    }

    @Test
    void foreignFlowsAreSeenAndCanBeDeleted() throws Exception {
        target.ofctl("add-flow", "priority=5,ip,nw_frag=later actions=NORMAL");
        target.ofctl("add-flow", "table=7,ip,ct_label=0x1/0x1,reg9=3 actions=ct(commit,exec(set_field:7->ct_label))");
        target.ofctl("add-flow", "priority=6,conj_id=3,ip actions=learn(table=7,NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[])");
        target.ofctl("add-flow", "priority=7,ipv6 actions=write_actions(output:1)");
        try (PlainConnection connection = new PlainConnection(target.managementSocket())) {
            final List<WireFlow> flows = connection.dump();
            assertThat(flows).hasSize(4).allSatisfy(flow -> assertThat(flow.spec()).isEmpty());
            assertThat(connection.send(flows.stream().map(flow ->
                WireMessages.delete(flow.table(), flow.priority(), flow.match())).toList())).isEmpty();
            assertThat(connection.dump()).isEmpty();
        }
    }

    /** The text form has no masked VLAN id, and of the masks of IPv4 addresses only prefixes. */
    private static boolean hasText(final FieldMatch match) {
        return match.isExact() || switch (match.field()) {
            case VLAN_VID -> false;
            case IP_SRC, IP_DST -> Long.bitCount(match.mask() | match.mask() - 1) == 32;
            default -> true;
        };
    }
}
