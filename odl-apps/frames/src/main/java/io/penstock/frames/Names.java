// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Names of the DNS as RFC 8106 and RFC 8415, section 10, have them: RFC 1035 without compression. */
final class Names {
    private static final int LONGEST_LABEL = 63;

    private Names() {
        // Only functions.
    }

    /** One behind the other. Throws IllegalArgumentException when a label is empty or too long. */
    static Bytes encode(final List<String> names) {
        final BytesWriter writer = new BytesWriter();
        for (final String name : names) {
            for (final String label : name.split("\\.", -1)) {
                final byte[] bytes = label.getBytes(StandardCharsets.US_ASCII);
                if (bytes.length == 0 || bytes.length > LONGEST_LABEL) {
                    throw new IllegalArgumentException("'" + name + "' is not a domain name");
                }
                writer.u8(bytes.length).put(Bytes.of(bytes));
            }
            writer.u8(0);
        }
        return writer.bytes();
    }
}
