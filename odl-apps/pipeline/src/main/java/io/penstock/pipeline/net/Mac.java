// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

/** MAC addresses as unsigned 48-bit numbers in a {@code long}. */
public final class Mac {
    /** The bit of addresses of groups (IEEE 802). */
    public static final long GROUP = 1L << 40;
    private static final int BYTES = 6;

    private Mac() {
        // Only functions.
    }

    /**
     * Reads six pairs of hexadecimal digits with colons between them.
     *
     * @throws IllegalArgumentException when the text is not a MAC address
     */
    public static long parse(final String text) {
        if (!text.matches("[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}")) {
            throw new IllegalArgumentException("'" + text + "' is not a MAC address");
        }
        return Long.parseLong(text.replace(":", ""), 16);
    }

    /** Six pairs of lower-case hexadecimal digits with colons between them. */
    public static String text(final long address) {
        final StringBuilder text = new StringBuilder();
        for (int shift = (BYTES - 1) * 8; shift >= 0; shift -= 8) {
            text.append(text.isEmpty() ? "" : ":").append("%02x".formatted(address >> shift & 0xff));
        }
        return text.toString();
    }
}
