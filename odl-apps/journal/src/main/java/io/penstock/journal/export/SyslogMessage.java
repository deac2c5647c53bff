// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.regex.Pattern;

/**
 * A syslog message (RFC 5424) for one datagram (RFC 5426): facility local0, structured data, then text if there is any.
 * Not for several threads.
 */
final class SyslogMessage {
    private static final int LOCAL0 = 16 * 8;
    /** Who has no enterprise number of his own uses that of examples (RFC 5612). */
    private static final String ENTERPRISE = "@32473";
    private static final Pattern ESCAPED = Pattern.compile("([\"\\\\\\]])");
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    /** Characters of a value; those that are longer are texts for people. */
    private static final int MOST_VALUE = 500;

    private final StringBuilder text;

    /**
     * A message without data.
     *
     * @param severity its number
     * @param id kind of the message
     * @param element name of its data, of a kind that this product defines
     */
    SyslogMessage(final int severity, final Instant time, final String host, final String id, final String element) {
        text = new StringBuilder("<" + (LOCAL0 + severity) + ">1 " + time + " " + host + " penstock - " + id + " ["
            + element + ENTERPRISE);
    }

    /** Adds a value to the data. */
    SyslogMessage with(final String name, final Object value) {
        final String all = CONTROL.matcher(value.toString()).replaceAll(" ");
        final String cut = all.substring(0, Math.min(all.length(), MOST_VALUE));
        text.append(' ').append(name).append("=\"").append(ESCAPED.matcher(cut).replaceAll("\\\\$1")).append('"');
        return this;
    }

    /** The payload of a datagram, of data alone. */
    Payload payload() {
        return payload("");
    }

    /** The payload of a datagram with a line for people. */
    Payload payload(final String line) {
        final String all = text + "]" + (line.isEmpty() ? "" : " " + line);
        return new Payload(ByteBuffer.wrap(all.getBytes(StandardCharsets.UTF_8)), 1);
    }
}
