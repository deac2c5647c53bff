// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.net.DomainNames;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import java.util.Optional;
import java.util.Set;

/** The forms that data of records have in a zone file (RFC 1035, section 5). */
final class RecordData {
    /** Types that a zone of a tenant has. */
    static final Set<String> TYPES = Set.of("A", "AAAA", "CNAME", "MX", "TXT", "SRV", "PTR", "NS");

    /** The length of a character string is one byte (RFC 1035, section 3.3). */
    private static final int LONGEST_STRING = 255;
    private static final int SRV_FIELDS = 4;

    private RecordData() {
        // Only functions.
    }

    /**
     * Why a text is not data of a type, if it is not.
     *
     * @param type one of {@link #TYPES}
     * @param domain the zone, in which names without a dot at the end are; empty when it is not known
     */
    static Optional<String> problem(final String type, final String data, final String domain) {
        return switch (type) {
            case "A" -> Ipv4.isAddress(data) ? Optional.empty() : Optional.of("'" + data + "' is not an IPv4 address");
            case "AAAA" -> Ipv6.isAddress(data) ? Optional.empty()
                : Optional.of("'" + data + "' is not an IPv6 address");
            case "MX" -> fields(data, 2, "a preference and a name", domain);
            case "SRV" -> fields(data, SRV_FIELDS, "priority, weight, port and a name", domain);
            case "TXT" -> text(data);
            default -> isName(data, domain) ? Optional.empty() : Optional.of("'" + data + "' is not a domain name");
        };
    }

    /** Numbers of 16 bits, then a name, which is a dot alone where there is nobody (RFC 2782, RFC 7505). */
    private static Optional<String> fields(final String data, final int count, final String form,
            final String domain) {
        final String[] fields = data.strip().split("\\s+");
        boolean good = fields.length == count
            && (fields[count - 1].equals(".") || isName(fields[count - 1], domain));
        for (int index = 0; good && index < count - 1; index++) {
            good = fields[index].matches("[0-9]{1,5}") && Integer.parseInt(fields[index]) <= 0xffff;
        }
        return good ? Optional.empty() : Optional.of("'" + data + "' is not " + form);
    }

    /** Whether a text is the zone, a name below it, or a name of its own, which ends with a dot. */
    private static boolean isName(final String text, final String domain) {
        if (text.equals("@")) {
            return true;
        }
        return DomainNames.isOfRecord(text.endsWith(".") ? text.substring(0, text.length() - 1)
            : domain.isEmpty() ? text : text + "." + domain);
    }

    /** Strings with space between them: in double quotes, or without space and quotes. A backslash escapes. */
    private static Optional<String> text(final String data) {
        int position = 0;
        while (position < data.length()) {
            if (data.charAt(position) == ' ') {
                position++;
                continue;
            }
            final boolean quoted = data.charAt(position) == '"';
            position += quoted ? 1 : 0;
            int length = 0;
            while (position < data.length() && data.charAt(position) != (quoted ? '"' : ' ')) {
                final int width = width(data, position);
                if (width == 0 || !quoted && data.charAt(position) == '"') {
                    return Optional.of("has a character at " + position + " that has to be escaped");
                }
                position += width;
                length++;
            }
            if (quoted && position == data.length()) {
                return Optional.of("has a quote that is not closed");
            }
            position += quoted ? 1 : 0;
            if (length > LONGEST_STRING) {
                return Optional.of("has a string of " + length + " bytes, more than " + LONGEST_STRING);
            }
        }
        return data.isBlank() ? Optional.of("has no string") : Optional.empty();
    }

    /** Characters that stand for one byte: one, two with a backslash, or four of which three are digits; 0 if none. */
    private static int width(final String data, final int position) {
        final char character = data.charAt(position);
        if (character < ' ' || character > '~') {
            return 0;
        }
        if (character != '\\') {
            return 1;
        }
        final String rest = data.substring(position + 1, Math.min(position + 4, data.length()));
        if (rest.matches("[0-9]{3}")) {
            return Integer.parseInt(rest) <= 0xff ? 4 : 0;
        }
        return rest.matches("[ -/:-~].*") ? 2 : 0;
    }
}
