// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import java.util.List;

/** An IPv4 prefix; bits behind the length are zero. */
public record Prefix(long address, int length) implements Comparable<Prefix> {
    public static final Prefix DEFAULT = new Prefix(0, 0);

    public Prefix {
        if (length < 0 || length > 32 || (address & ~mask(length)) != 0) {
            throw new IllegalArgumentException(Ipv4.text(address) + "/" + length + " is not an IPv4 prefix");
        }
    }

    /**
     * Reads {@code 192.0.2.0/24}; bits behind the length are cleared.
     *
     * @throws IllegalArgumentException when the text is not a prefix
     */
    public static Prefix parse(final String text) {
        final int slash = text.indexOf('/');
        if (slash < 0 || !text.substring(slash + 1).matches("[0-9]{1,2}")) {
            throw new IllegalArgumentException("'" + text + "' is not an IPv4 prefix");
        }
        final int length = Integer.parseInt(text.substring(slash + 1));
        if (length > 32) {
            throw new IllegalArgumentException("'" + text + "' is not an IPv4 prefix");
        }
        return new Prefix(Ipv4.parse(text.substring(0, slash)) & mask(length), length);
    }

    /** The prefix of one address. */
    public static Prefix host(final long address) {
        return new Prefix(address, 32);
    }

    private static long mask(final int length) {
        return 0xffffffffL << (32 - length) & 0xffffffffL;
    }

    public long mask() {
        return mask(length);
    }

    /**
     * The prefix of fewer bits that this one is in.
     *
     * @throws IllegalArgumentException when this one is shorter
     */
    public Prefix shortenedTo(final int bits) {
        if (bits > length) {
            throw new IllegalArgumentException(this + " is shorter than " + bits + " bits");
        }
        return new Prefix(address & mask(bits), bits);
    }

    /** First address behind the prefix. */
    public long end() {
        return address + (1L << 32 - length);
    }

    /** Number of addresses. */
    public long size() {
        return end() - address;
    }

    /** Whether an address is in one of some prefixes. */
    public static boolean anyContains(final List<Prefix> prefixes, final long address) {
        return prefixes.stream().anyMatch(prefix -> prefix.contains(address));
    }

    /** Whether it is the prefix of one address. */
    public boolean isHost() {
        return length == 32;
    }

    public boolean contains(final long other) {
        return (other & mask()) == address;
    }

    /** Whether all of another prefix is inside this one. */
    public boolean contains(final Prefix other) {
        return length <= other.length && contains(other.address);
    }

    public boolean overlaps(final Prefix other) {
        return length <= other.length ? contains(other.address) : other.contains(address);
    }

    @Override
    public int compareTo(final Prefix other) {
        final int byAddress = Long.compare(address, other.address);
        return byAddress != 0 ? byAddress : Integer.compare(length, other.length);
    }

    @Override
    public String toString() {
        return Ipv4.text(address) + "/" + length;
    }
}
