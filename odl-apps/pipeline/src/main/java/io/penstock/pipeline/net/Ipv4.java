// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

/**
 * An IPv4 address, ordered as an unsigned number.
 *
 * @param number its 32 bits, the first byte highest
 */
public record Ipv4(long number) implements Comparable<Ipv4> {
    /** {@code 0.0.0.0}, the source of who has no address yet (RFC 1122, section 3.2.1.3). */
    public static final Ipv4 UNSPECIFIED = new Ipv4(0);
    /** {@code 255.255.255.255}, all hosts of a link (RFC 919). */
    public static final Ipv4 BROADCAST = new Ipv4(0xffffffffL);

    public Ipv4 {
        if (number >>> Integer.SIZE != 0) {
            throw new IllegalArgumentException("IPv4 address of the number " + number);
        }
    }

    /**
     * Reads dotted decimal.
     *
     * @throws IllegalArgumentException when the text is not an IPv4 address
     */
    public static Ipv4 parse(final String text) {
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
        return new Ipv4(value);
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

    /** Whether it is {@link #UNSPECIFIED}. */
    public boolean isUnspecified() {
        return number == 0;
    }

    /**
     * The address so many places behind this one, or before it.
     *
     * @throws IllegalArgumentException when there is none
     */
    public Ipv4 plus(final long places) {
        return new Ipv4(number + places);
    }

    /** How many places this address is behind another one; negative when it is before that. */
    public long minus(final Ipv4 other) {
        return number - other.number;
    }

    @Override
    public int compareTo(final Ipv4 other) {
        return Long.compare(number, other.number);
    }

    /** Dotted decimal. */
    @Override
    public String toString() {
        return (number >> 24 & 0xff) + "." + (number >> 16 & 0xff) + "." + (number >> 8 & 0xff) + "." + (number & 0xff);
    }
}
