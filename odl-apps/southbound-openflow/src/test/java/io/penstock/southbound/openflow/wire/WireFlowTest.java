// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.Table;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WireFlowTest {
    @ParameterizedTest
    @MethodSource("io.penstock.southbound.openflow.wire.SampleFlows#all")
    void whatIsEncodedDecodesToTheSame(final FlowSpec flow) {
        assertThat(WireFlow.decode(entry(flow, 0, 0))).singleElement().satisfies(read -> {
            assertThat(read.problem()).isEmpty();
            assertThat(read.spec()).contains(flow);
            assertThat(read.packets()).isEqualTo(3);
            assertThat(read.bytes()).isEqualTo(1L << 40);
        });
    }

    @Test
    void samplesUseEveryMatchField() {
        final Set<MatchField> used = SampleFlows.all().stream()
            .flatMap(flow -> flow.matches().stream()).map(FieldMatch::field).collect(Collectors.toSet());
        // A flow learns from this one, and does not match on it.
        used.add(MatchField.CT_TP_SRC);
        // A flow has them as matches on the registers they are made of.
        used.addAll(List.of(MatchField.XXREG2, MatchField.XXREG3));
        assertThat(used).containsExactlyInAnyOrder(MatchField.values());
    }

    @Test
    void samplesUseEveryAction() {
        final Set<Class<?>> used = SampleFlows.all().stream()
            .flatMap(flow -> flow.actions().stream()).map(Action::getClass).collect(Collectors.toSet());
        assertThat(used).containsExactlyInAnyOrder(Action.class.getPermittedSubclasses());
    }

    @Test
    void samplesUseEveryLearnSpec() {
        final Set<Class<?>> used = SampleFlows.all().stream().flatMap(flow -> flow.actions().stream())
            .filter(Action.Learn.class::isInstance).flatMap(learn -> ((Action.Learn) learn).specs().stream())
            .map(LearnSpec::getClass).collect(Collectors.toSet());
        assertThat(used).containsExactlyInAnyOrder(LearnSpec.class.getPermittedSubclasses());
    }

    @Test
    void hardTimeoutIsForeign() {
        assertThat(WireFlow.decode(entry(SampleFlows.all().get(0), 9, 0))).singleElement()
            .satisfies(read -> assertThat(read.problem()).isEqualTo("hard timeout 9, flags 0"));
    }

    @Test
    void oneForeignFlowSpoilsNoOther() {
        final List<FlowSpec> flows = SampleFlows.all();
        final ByteBuf entries = Unpooled.buffer();
        entries.writeBytes(entry(flows.get(1), 0, 0)).writeBytes(entry(flows.get(2), 0, 1))
            .writeBytes(entry(flows.get(3), 0, 0));
        assertThat(WireFlow.decode(ByteBufUtil.getBytes(entries))).extracting(WireFlow::spec).containsExactly(
            Optional.of(flows.get(1)), Optional.empty(), Optional.of(flows.get(3)));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        // Field ip_frag with a bit that it has not; vlan_vid 0x1000 (tag 0); vlan_vid any tag; pkt_mark; a register of
        // 8 bytes; a length too far; half an IPv6 address.
        "0001 0009 0001 3401 04", "0001 000a 8000 0c02 1000", "0001 000c 8000 0d04 1000 1000",
        "0001 000c 0001 4204 00000001",
        "0001 0010 0001 0008 00000000 00000000", "0001 0018 0001 0004 00000000",
        "0001 0010 8000 3408 20010db8 00000000"})
    void unknownMatchIsForeign(final String match) {
        final ByteBuf bytes = Unpooled.wrappedBuffer(HexFormat.of().parseHex(match.replace(" ", "")));
        final int length = bytes.readableBytes();
        final ByteBuf entry = head(0, 0).writeBytes(bytes).writeZero(WireMatch.padding(length));
        assertThat(WireFlow.decode(finish(entry))).singleElement()
            .satisfies(read -> assertThat(read.problem()).isNotEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        // Copy TTL outwards, group, output to NORMAL, Nicira note, another vendor, ct with force, write-actions.
        "0004 0010 00000000 000b 0008 00000000", "0004 0010 00000000 0016 0008 00000001",
        "0004 0018 00000000 0000 0010 fffffffa 0000 000000000000",
        "0004 0018 00000000 ffff 0010 00002320 0008 000000000000",
        "0004 0018 00000000 ffff 0010 00001234 0008 000000000000",
        "0004 0020 00000000 ffff 0018 00002320 0023 0002 00000000 0000 ff 000000 0000",
        // Clause 2 of 1; check_pkt_larger into bit 128 of a register.
        "0004 0018 00000000 ffff 0010 00002320 0022 0101 00000001",
        "0004 0020 00000000 ffff 0018 00002320 0031 05dc 0080 00010004 000000000000",
        "0003 0010 00000000 0012 0008 00000000", "0004 0010 00000000 0000 0008 00000000"})
    void unknownInstructionIsForeign(final String instruction) {
        final ByteBuf entry = head(0, 0).writeBytes(WireMessages.match(List.of()))
            .writeBytes(HexFormat.of().parseHex(instruction.replace(" ", "")));
        assertThat(WireFlow.decode(finish(entry))).singleElement()
            .satisfies(read -> assertThat(read.problem()).isNotEmpty());
    }

    @Test
    void tableOfNobodyIsForeign() {
        final byte[] entry = entry(SampleFlows.all().get(0), 0, 0);
        entry[2] = (byte) 200;
        assertThat(WireFlow.decode(entry)).singleElement()
            .satisfies(read -> assertThat(read.problem()).isEqualTo("table 200"));
    }

    @Test
    void learnRefusesConstantsOfMoreThan16Bits() {
        final FlowSpec flow = new FlowSpec(Table.CLASSIFY, 1, List.of(), List.of(
            new Action.Learn(Table.L2_HOSTS, 1, 1, 0, Optional.empty(), 1,
                List.of(new LearnSpec.LoadValue(1, MatchField.REG0.range())))), Optional.empty(), 1, 0);
        assertThatThrownBy(() -> WireMessages.add(flow)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void messageInsideBundleGetsTheSameTransactionId() {
        final ByteBuf out = Unpooled.buffer();
        WireMessages.write(out, WireMessages.bundleAdd(1, WireMessages.add(SampleFlows.all().get(0))), 0x11223344);
        assertThat(out.getInt(4)).isEqualTo(0x11223344);
        assertThat(out.getInt(28)).isEqualTo(0x11223344);
    }

    /** What a switch would say of a flow: made from the message that adds it. */
    private static byte[] entry(final FlowSpec flow, final int hardTimeout, final int flags) {
        final ByteBuf add = Unpooled.wrappedBuffer(WireMessages.add(flow));
        final ByteBuf out = Unpooled.buffer();
        out.writeShort(0).writeByte(flow.table().number()).writeZero(9).writeShort(flow.priority())
            .writeShort(flow.idleTimeout()).writeShort(hardTimeout).writeShort(flags).writeZero(4)
            .writeLong(flow.cookie()).writeLong(3).writeLong(1L << 40);
        // Match and instructions follow the fixed part of a flow-mod.
        return finish(out.writeBytes(add.skipBytes(48)));
    }

    private static ByteBuf head(final int table, final int priority) {
        return Unpooled.buffer().writeShort(0).writeByte(table).writeZero(9).writeShort(priority).writeZero(34);
    }

    private static byte[] finish(final ByteBuf out) {
        out.setShort(0, out.writerIndex());
        return ByteBufUtil.getBytes(out);
    }
}
