// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static io.penstock.journal.export.SampleChanges.BLOCK;
import static io.penstock.journal.export.SampleChanges.DETERMINISTIC;
import static io.penstock.journal.export.SampleChanges.FORWARD;
import static io.penstock.journal.export.SampleChanges.TIME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.journal.Change;
import io.penstock.testkit.ManualClock;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The bytes. CollectorsIT has what collectors make of them. */
class IpfixMessagesTest {
    private static final int SEQUENCE = 8;
    private static final int LENGTH = 2;
    /** Version, length, seconds, sequence, domain. */
    private static final String HEADER = "000a%04x%08x%08x00000000";
    private static final String TEMPLATE = "0002" + "0028" + "0100" + "0008" + "01430008" + "00e60001" + "00ea0004"
        + "00080004" + "00e10004" + "01690002" + "016a0002" + "00ecffff";
    private static final String DATA = "0100" + "0024" + "%016x".formatted(TIME.toEpochMilli()) + "10" + "00000007"
        + "0a000005" + "c6336404" + "fc00" + "ffff" + "06" + "7222655d645c";

    private static List<FlowRecord> records(final Change... changes) {
        return Stream.of(changes).map(NatRecords::of).flatMap(Optional::stream).toList();
    }

    private static IpfixMessages session(final boolean isRepeated) {
        return new IpfixMessages(new ManualClock(TIME), isRepeated);
    }

    private static String hex(final Payload message) {
        return HexFormat.of().formatHex(message.bytes().array());
    }

    private static String header(final int length, final int sequence) {
        return HEADER.formatted(length, TIME.getEpochSecond(), sequence);
    }

    @Test
    void eachDatagramHasItsTemplates() {
        final IpfixMessages session = session(true);
        for (int sequence = 0; sequence < 3; sequence++) {
            assertThat(session.apply(records(BLOCK)).stream().map(IpfixMessagesTest::hex))
                .containsExactly(header(0x5c, sequence) + TEMPLATE + DATA);
        }
    }

    @Test
    void aConnectionHasThemOnce() {
        final IpfixMessages session = session(false);
        assertThat(session.apply(records(BLOCK)).stream().map(IpfixMessagesTest::hex))
            .containsExactly(header(0x5c, 0) + TEMPLATE + DATA);
        assertThat(session.apply(records(BLOCK)).stream().map(IpfixMessagesTest::hex))
            .containsExactly(header(0x34, 1) + DATA);
    }

    @Test
    void manyRecordsAreSeveralMessages() {
        final IpfixMessages session = session(true);
        final List<FlowRecord> some = records(BLOCK, FORWARD);
        final List<Payload> messages = session.apply(Collections.nCopies(100, some).stream().flatMap(List::stream)
            .toList());
        assertThat(messages).hasSizeGreaterThan(3).allMatch(message -> message.bytes().limit() <= IpfixMessages.MOST
            && message.bytes().getShort(LENGTH) == message.bytes().limit());
        int sequence = 0;
        for (final Payload message : messages) {
            assertThat(message.bytes().getInt(SEQUENCE)).isEqualTo(sequence);
            sequence += message.records();
        }
        assertThat(sequence).isEqualTo(200);
        assertThat(session.apply(some).get(0).bytes().getInt(SEQUENCE)).isEqualTo(200);
    }

    @Test
    void blocksThatFollowFromTheConfigurationAreNotExported() {
        assertThat(records(DETERMINISTIC)).isEmpty();
        assertThat(session(true).apply(List.of())).isEmpty();
    }

    @Test
    void aRecordHasAValueForEachElement() {
        assertThatThrownBy(() -> FlowRecord.of(Template.ADDRESSES_EXHAUSTED, 1L, 3))
            .hasMessage("ADDRESSES_EXHAUSTED has 3 elements, not 2");
        assertThat(FlowRecord.of(Template.ADDRESSES_EXHAUSTED, 1L, 3, "x".repeat(300)).length())
            .isEqualTo(8 + 1 + 255);
    }
}
