// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import java.util.List;

/** An IPv4 prefix; bits behind the length are zero. */
public record Prefix(Ipv4 address, int length) implements Comparable<Prefix> {
    public static final Prefix DEFAULT = new Prefix(Ipv4.UNSPECIFIED, 0);

    public Prefix {
        if (length < 0 || length > 32 || (address.number() & ~bits(length)) != 0) {
            throw new IllegalArgumentException(address + "/" + length + " is not an IPv4 prefix");
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
        return new Prefix(new Ipv4(Ipv4.parse(text.substring(0, slash)).number() & bits(length)), length);
    }

    /** The prefix of one address. */
    public static Prefix host(final Ipv4 address) {
        return new Prefix(address, 32);
    }

    private static long bits(final int length) {
        return 0xffffffffL << (32 - length) & 0xffffffffL;
    }

    public Ipv4 mask() {
        return new Ipv4(bits(length));
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
        return new Prefix(new Ipv4(address.number() & bits(bits)), bits);
    }

    /** Its last address. */
    public Ipv4 last() {
        return address.plus(size() - 1);
    }

    /** Number of addresses. */
    public long size() {
        return 1L << 32 - length;
    }

    /** Whether an address is in one of some prefixes. */
    public static boolean anyContains(final List<Prefix> prefixes, final Ipv4 address) {
        return prefixes.stream().anyMatch(prefix -> prefix.contains(address));
    }

    /** Whether it is the prefix of one address. */
    public boolean isHost() {
        return length == 32;
    }

    public boolean contains(final Ipv4 other) {
        return (other.number() & bits(length)) == address.number();
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
        final int byAddress = address.compareTo(other.address);
        return byAddress != 0 ? byAddress : Integer.compare(length, other.length);
    }

    @Override
    public String toString() {
        return address + "/" + length;
    }
}
