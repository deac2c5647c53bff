// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

/** An IPv6 prefix; bits behind the length are zero. */
public record Prefix6(Ipv6 address, int length) implements Comparable<Prefix6> {
    public static final Prefix6 DEFAULT = new Prefix6(Ipv6.UNSPECIFIED, 0);
    /** Addresses of one link each (RFC 4291, section 2.5.6). */
    public static final Prefix6 LINK_LOCAL = parse("fe80::/10");
    /** Addresses of groups (RFC 4291, section 2.7). */
    public static final Prefix6 MULTICAST = parse("ff00::/8");

    /** The length that SLAAC needs, and most networks have (RFC 4862, section 5.5.3; RFC 4291, section 2.5.1). */
    public static final int SUBNET = 64;

    private static final int BITS = 128;

    public Prefix6 {
        if (length < 0 || length > BITS || !address.and(Ipv6.mask(length)).equals(address)) {
            throw new IllegalArgumentException(address + "/" + length + " is not an IPv6 prefix");
        }
    }

    /**
     * Reads {@code 2001:db8::/64}; bits behind the length are cleared.
     *
     * @throws IllegalArgumentException when the text is not a prefix
     */
    public static Prefix6 parse(final String text) {
        final int slash = text.indexOf('/');
        if (slash < 0 || !text.substring(slash + 1).matches("[0-9]{1,3}")) {
            throw new IllegalArgumentException("'" + text + "' is not an IPv6 prefix");
        }
        final int length = Integer.parseInt(text.substring(slash + 1));
        if (length > BITS) {
            throw new IllegalArgumentException("'" + text + "' is not an IPv6 prefix");
        }
        return new Prefix6(Ipv6.parse(text.substring(0, slash)).and(Ipv6.mask(length)), length);
    }

    /** Its last address. */
    public Ipv6 last() {
        final Ipv6 mask = Ipv6.mask(length);
        return new Ipv6(address.high() | ~mask.high(), address.low() | ~mask.low());
    }

    public boolean contains(final Ipv6 other) {
        return other.and(Ipv6.mask(length)).equals(address);
    }

    /** Whether all of another prefix is inside this one. */
    public boolean contains(final Prefix6 other) {
        return length <= other.length && contains(other.address);
    }

    public boolean overlaps(final Prefix6 other) {
        return contains(other) || other.contains(this);
    }

    @Override
    public int compareTo(final Prefix6 other) {
        final int byAddress = address.compareTo(other.address);
        return byAddress != 0 ? byAddress : Integer.compare(length, other.length);
    }

    @Override
    public String toString() {
        return address + "/" + length;
    }
}
