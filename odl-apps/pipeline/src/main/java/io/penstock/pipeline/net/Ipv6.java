// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import java.util.Arrays;

/**
 * An IPv6 address as an unsigned number of 128 bits, ordered as such. Nothing here asks a name server.
 *
 * @param high the first 64 bits, in most networks the prefix
 * @param low the last 64 bits, in most networks the interface
 */
public record Ipv6(long high, long low) implements Comparable<Ipv6> {
    /** {@code ::}, the source of who has no address yet (RFC 4291, section 2.5.2). */
    public static final Ipv6 UNSPECIFIED = new Ipv6(0, 0);

    private static final int GROUPS = 8;
    private static final int IPV4_GROUPS = 2;

    /**
     * Reads any of the forms of RFC 4291, section 2.2: groups of hexadecimal digits, {@code ::} at most once, the last
     * 32 bits in dotted decimal if wanted. A zone ({@code %eth0}) is none of them.
     *
     * @throws IllegalArgumentException when the text is not an IPv6 address
     */
    public static Ipv6 parse(final String text) {
        try {
            return read(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "' is not an IPv6 address", e);
        }
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

    private static Ipv6 read(final String text) {
        final int gap = text.indexOf("::");
        final int[] front = groups(gap < 0 ? text : text.substring(0, gap), gap < 0);
        final int[] back = gap < 0 ? new int[0] : groups(text.substring(gap + 2), true);
        final int count = front.length + back.length;
        // A gap stands for one group at least.
        if (gap < 0 ? count != GROUPS : count >= GROUPS) {
            throw new IllegalArgumentException(count + " groups");
        }
        final int[] all = Arrays.copyOf(front, GROUPS);
        System.arraycopy(back, 0, all, GROUPS - back.length, back.length);
        return new Ipv6(word(all, 0), word(all, GROUPS / 2));
    }

    private static int[] groups(final String text, final boolean last) {
        if (text.isEmpty()) {
            return new int[0];
        }
        final String[] parts = text.split(":", -1);
        final boolean dotted = last && parts[parts.length - 1].indexOf('.') >= 0;
        final int[] groups = new int[parts.length + (dotted ? IPV4_GROUPS - 1 : 0)];
        for (int i = 0; i < parts.length; i++) {
            if (dotted && i == parts.length - 1) {
                final long address = Ipv4.parse(parts[i]).number();
                groups[i] = (int) (address >> 16);
                groups[i + 1] = (int) (address & 0xffff);
            } else if (parts[i].matches("[0-9a-fA-F]{1,4}")) {
                groups[i] = Integer.parseInt(parts[i], 16);
            } else {
                throw new IllegalArgumentException("'" + parts[i] + "' is not a group");
            }
        }
        return groups;
    }

    private static long word(final int[] groups, final int first) {
        return (long) groups[first] << 48 | (long) groups[first + 1] << 32 | (long) groups[first + 2] << 16
            | groups[first + 3];
    }

    /**
     * The mask of a prefix.
     *
     * @throws IllegalArgumentException when the length is not 0..128
     */
    public static Ipv6 mask(final int length) {
        if (length < 0 || length > 128) {
            throw new IllegalArgumentException("no IPv6 prefix has " + length + " bits");
        }
        return new Ipv6(leading(Math.min(length, 64)), leading(Math.max(length - 64, 0)));
    }

    private static long leading(final int bits) {
        return bits == 0 ? 0 : -1L << 64 - bits;
    }

    /** The bits of this address that are in a mask. */
    public Ipv6 and(final Ipv6 mask) {
        return new Ipv6(high & mask.high, low & mask.low);
    }

    /** The 16 bits at a place, 0 for the first ones. */
    private int group(final int index) {
        return (int) ((index < GROUPS / 2 ? high : low) >>> 48 - 16 * (index % 4)) & 0xffff;
    }

    /** In the one form RFC 5952 has for each address. */
    @Override
    public String toString() {
        // Section 5: an IPv4-mapped address ends in dotted decimal.
        if (high == 0 && low >>> 32 == 0xffff) {
            return "::ffff:" + new Ipv4(low & 0xffffffffL);
        }
        final int[] gap = longestGap();
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++) {
            if (gap[1] > 1 && i == gap[0]) {
                text.append("::");
                i += gap[1] - 1;
            } else {
                text.append(text.isEmpty() || text.charAt(text.length() - 1) == ':' ? "" : ":")
                    .append(Integer.toHexString(group(i)));
            }
        }
        return text.toString();
    }

    /** Start and length of the longest run of zero groups, the first of several. */
    private int[] longestGap() {
        int start = 0;
        int length = 0;
        int run = 0;
        for (int i = 0; i < GROUPS; i++) {
            run = group(i) == 0 ? run + 1 : 0;
            if (run > length) {
                length = run;
                start = i - run + 1;
            }
        }
        return new int[] {start, length};
    }

    @Override
    public int compareTo(final Ipv6 other) {
        final int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }
}
