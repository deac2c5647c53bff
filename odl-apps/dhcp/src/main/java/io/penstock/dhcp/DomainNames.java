// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Domain names as DNS writes them, the same ending only once (RFC 1035, section 4.1.4; RFC 3397). */
final class DomainNames {
    private static final int POINTER = 0xc000;
    private static final int FARTHEST = 0x3fff;
    private static final int LONGEST_LABEL = 63;
    private static final int LONGEST_NAME = 255;

    private DomainNames() {
        // Only functions.
    }

    /** All names that are some; one with a label that is empty or too long is left out. */
    static Bytes encode(final List<String> names) {
        final BytesWriter bytes = new BytesWriter();
        final Map<String, Integer> places = new HashMap<>();
        for (final String name : names) {
            final String[] labels = (name.endsWith(".") ? name.substring(0, name.length() - 1) : name).split("\\.", -1);
            if (List.of(labels).stream().allMatch(DomainNames::isLabel)) {
                write(bytes, places, labels);
            }
        }
        return bytes.bytes();
    }

    private static void write(final BytesWriter bytes, final Map<String, Integer> places, final String[] labels) {
        for (int index = 0; index < labels.length; index++) {
            final String ending = String.join(".", List.of(labels).subList(index, labels.length));
            final Integer place = places.get(ending);
            if (place != null) {
                bytes.u16(POINTER | place);
                return;
            }
            if (bytes.length() <= FARTHEST) {
                places.put(ending, bytes.length());
            }
            final Bytes label = Bytes.ofText(labels[index]);
            bytes.u8(label.length()).put(label);
        }
        bytes.u8(0);
    }

    private static boolean isLabel(final String label) {
        final int length = label.getBytes(StandardCharsets.UTF_8).length;
        return length > 0 && length <= LONGEST_LABEL;
    }

    /**
     * A host name that a client told, as a label of RFC 1123: what is before the first dot in lower case, with hyphens
     * for blanks and underscores. Nothing if it is none even so.
     */
    static Optional<String> hostName(final Bytes told) {
        if (told.length() > LONGEST_NAME) {
            return Optional.empty();
        }
        final StringBuilder label = new StringBuilder();
        for (int at = 0; at < told.length() && told.u8(at) != '.' && told.u8(at) != 0; at++) {
            final int letter = told.u8(at);
            if (letter >= 'A' && letter <= 'Z') {
                label.append((char) (letter - 'A' + 'a'));
            } else if (letter == '_' || letter == ' ') {
                label.append('-');
            } else if (letter >= 'a' && letter <= 'z' || letter >= '0' && letter <= '9' || letter == '-') {
                label.append((char) letter);
            } else {
                return Optional.empty();
            }
        }
        final boolean right = !label.isEmpty() && label.length() <= LONGEST_LABEL && label.charAt(0) != '-'
            && label.charAt(label.length() - 1) != '-';
        return right ? Optional.of(label.toString()) : Optional.empty();
    }
}
