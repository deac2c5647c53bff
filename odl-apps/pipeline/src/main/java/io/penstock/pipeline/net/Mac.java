// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import java.util.HexFormat;

/**
 * A MAC address.
 *
 * @param number its 48 bits, the first byte highest
 */
public record Mac(long number) {
    private static final int BITS = 48;
    /** The bit of addresses of groups (IEEE 802). */
    private static final long GROUP = 1L << 40;

    public Mac {
        if (number >>> BITS != 0) {
            throw new IllegalArgumentException("MAC address of the number " + number);
        }
    }

    /**
     * Reads six pairs of hexadecimal digits with colons between them.
     *
     * @throws IllegalArgumentException when the text is not a MAC address
     */
    public static Mac parse(final String text) {
        if (!text.matches("[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}")) {
            throw new IllegalArgumentException("'" + text + "' is not a MAC address");
        }
        return new Mac(Long.parseLong(text.replace(":", ""), 16));
    }

    /** Whether it can be that of one host: not of a group, and not zero. */
    public boolean isHost() {
        return number != 0 && (number & GROUP) == 0;
    }

    /** Six pairs of lower-case hexadecimal digits with colons between them. */
    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(number, BITS / 4).replaceAll("..(?!$)", "$0:");
    }
}
