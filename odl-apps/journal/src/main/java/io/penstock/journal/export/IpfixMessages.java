// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Messages of one transport session (RFC 7011). Over TCP each template comes once, before its first record. Over UDP
 * each message has the templates of its records: no earlier one is known to have arrived, and a collector that
 * was restarted reads the next message. Not for several threads.
 */
final class IpfixMessages implements Function<List<FlowRecord>, List<Payload>> {
    /** Bytes of a message, with which a packet of IPv6 need not be cut on any link. */
    static final int MOST = 1232;
    private static final int VERSION = 10;
    private static final int HEADER = 16;
    private static final int SET_HEADER = 4;
    private static final int TEMPLATE_SET = 2;
    /** The only observation domain of a controller. */
    private static final int DOMAIN = 0;

    private final Clock clock;
    private final boolean isRepeated;
    private final Set<Template> known = EnumSet.noneOf(Template.class);
    private int sequence;

    /**
     * A new session.
     *
     * @param isRepeated whether each message has the templates of its records
     */
    IpfixMessages(final Clock clock, final boolean isRepeated) {
        this.clock = requireNonNull(clock);
        this.isRepeated = isRepeated;
    }

    @Override
    public List<Payload> apply(final List<FlowRecord> records) {
        final List<Payload> messages = new ArrayList<>();
        Message message = new Message();
        for (final FlowRecord record : records) {
            if (!message.fits(record)) {
                messages.add(message.end());
                message = new Message();
            }
            message.add(record);
        }
        if (message.records > 0) {
            messages.add(message.end());
        }
        return messages;
    }

    /** A message that is being made. */
    private final class Message {
        private final ByteArrayOutputStream sets = new ByteArrayOutputStream();
        private final ByteArrayOutputStream data = new ByteArrayOutputStream();
        private Optional<Template> open = Optional.empty();
        private int records;

        Message() {
            if (isRepeated) {
                known.clear();
            }
        }

        boolean fits(final FlowRecord record) {
            final int headers = open.equals(Optional.of(record.template())) ? SET_HEADER
                : 2 * SET_HEADER + (known.contains(record.template()) ? 0 : definition(record.template()));
            return HEADER + sets.size() + data.size() + headers + record.length() <= MOST;
        }

        void add(final FlowRecord record) {
            final Template template = record.template();
            if (!open.equals(Optional.of(template))) {
                endSet();
                if (known.add(template)) {
                    define(template);
                }
                open = Optional.of(template);
            }
            record.writeTo(data);
            records++;
        }

        private void endSet() {
            open.ifPresent(template -> {
                put(sets, template.number(), SET_HEADER + data.size());
                sets.writeBytes(data.toByteArray());
            });
            data.reset();
        }

        private void define(final Template template) {
            put(sets, TEMPLATE_SET, definition(template), template.number(), template.elements().size());
            template.elements().forEach(element -> put(sets, element.number(), element.length()));
        }

        Payload end() {
            endSet();
            final ByteBuffer message = ByteBuffer.allocate(HEADER + sets.size());
            message.putShort((short) VERSION).putShort((short) message.capacity())
                .putInt((int) clock.instant().getEpochSecond()).putInt(sequence).putInt(DOMAIN)
                .put(sets.toByteArray());
            sequence += records;
            return new Payload(message.flip(), records);
        }
    }

    /** Bytes of the set that defines a template. */
    private static int definition(final Template template) {
        return SET_HEADER + Integer.BYTES + Integer.BYTES * template.elements().size();
    }

    private static void put(final ByteArrayOutputStream out, final int... numbers) {
        for (final int number : numbers) {
            out.write(number >>> Byte.SIZE);
            out.write(number);
        }
    }
}
