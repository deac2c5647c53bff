// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

/** IPv4 addresses as unsigned 32-bit numbers in a {@code long}, which compare and mask easily. */
public final class Ipv4 {
    private Ipv4() {
        // Only functions.
    }

    /**
     * Reads dotted decimal.
     *
     * @throws IllegalArgumentException when the text is not an IPv4 address
     */
    public static long parse(final String text) {
        final String[] parts = text.split("\\.", -1);
        if (parts.length != 4) {
            throw new IllegalArgumentException("'" + text + "' is not an IPv4 address");
        }
        long value = 0;
        for (final String part : parts) {
            if (!part.matches("[0-9]{1,3}") || Integer.parseInt(part) > 255) {
                throw new IllegalArgumentException("'" + text + "' is not an IPv4 address");
            }
            value = value << 8 | Integer.parseInt(part);
        }
        return value;
    }

    /** Whether {@link #parse} takes a text. */
    public static boolean isAddress(final String text) {
        try {
            parse(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Dotted decimal. */
    public static String text(final long address) {
        return (address >> 24 & 0xff) + "." + (address >> 16 & 0xff) + "." + (address >> 8 & 0xff) + "."
            + (address & 0xff);
    }
}
