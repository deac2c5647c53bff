// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static java.util.Objects.requireNonNull;

import io.penstock.journal.Assignment;
import io.penstock.journal.Change;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * IPFIX messages (RFC 7011) with the NAT events of RFC 8158 for blocks of ports: allocation and de-allocation. Other
 * assignments have no event there. Every message brings its template, for over UDP nobody knows whether an earlier one
 * has arrived (RFC 7011, section 8.4).
 */
public final class Ipfix implements Function<List<Change>, List<ByteBuffer>> {
    private static final int VERSION = 10;
    private static final int MESSAGE_HEADER = 16;
    private static final int SET_HEADER = 4;
    private static final int TEMPLATE_SET = 2;
    private static final int TEMPLATE = 256;
    /** Information elements of IANA's registry, and their lengths: the fields of RFC 8158, section 5.6.10. */
    private static final int[][] FIELDS = {
        {323, 8}, // observationTimeMilliseconds
        {230, 1}, // natEvent
        {234, 4}, // ingressVRFID
        {8, 4}, // sourceIPv4Address
        {225, 4}, // postNATSourceIPv4Address
        {361, 2}, // portRangeStart
        {362, 2}}; // portRangeEnd
    private static final int RECORD = 25;
    private static final byte ALLOCATION = 16;
    private static final byte DEALLOCATION = 17;
    /** Records in a message, which stays below 1280 bytes then. */
    private static final int MOST_RECORDS = 40;

    private final Clock clock;
    private int sequence;

    /** Messages with the time of a clock. */
    public Ipfix(final Clock clock) {
        this.clock = requireNonNull(clock);
    }

    @Override
    public List<ByteBuffer> apply(final List<Change> changes) {
        final List<Change> blocks = changes.stream()
            .filter(change -> change.assignment().kind().equals(Assignment.PORT_BLOCK)).toList();
        final List<ByteBuffer> messages = new ArrayList<>();
        for (int first = 0; first < blocks.size(); first += MOST_RECORDS) {
            messages.add(message(blocks.subList(first, Math.min(first + MOST_RECORDS, blocks.size()))));
        }
        return messages;
    }

    private ByteBuffer message(final List<Change> blocks) {
        final int template = SET_HEADER + 4 + 4 * FIELDS.length;
        final int data = SET_HEADER + blocks.size() * RECORD;
        final ByteBuffer message = ByteBuffer.allocate(MESSAGE_HEADER + template + data);
        message.putShort((short) VERSION).putShort((short) message.capacity())
            .putInt((int) clock.instant().getEpochSecond()).putInt(sequence).putInt(0);
        sequence += blocks.size();
        message.putShort((short) TEMPLATE_SET).putShort((short) template).putShort((short) TEMPLATE)
            .putShort((short) FIELDS.length);
        for (final int[] field : FIELDS) {
            message.putShort((short) field[0]).putShort((short) field[1]);
        }
        message.putShort((short) TEMPLATE).putShort((short) data);
        blocks.forEach(change -> put(message, change));
        return message.flip();
    }

    private static void put(final ByteBuffer message, final Change change) {
        final Assignment given = change.assignment();
        final Assignment.Blocks ports = given.blocks().orElseThrow();
        message.putLong(change.time().toEpochMilli()).put(change.begins() ? ALLOCATION : DEALLOCATION)
            .putInt(given.tenantId()).putInt((int) given.inside().orElseThrow().address().number())
            .putInt((int) given.outside().address().number()).putShort((short) ports.firstPort())
            .putShort((short) (ports.firstPort() + ports.size() - 1));
    }
}
