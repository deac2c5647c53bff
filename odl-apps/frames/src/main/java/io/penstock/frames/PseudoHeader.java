// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

/**
 * What the checksum of a protocol above IP counts of the IP header: RFC 768 for IPv4, RFC 8200, section 8.1, for IPv6.
 * Protocol and length are fields of other sizes in the two, which add up to the same.
 *
 * @param addresses source and destination, 8 or 32 bytes
 */
public record PseudoHeader(Bytes addresses) {
    private static final int IPV4 = 8;
    private static final int IPV6 = 32;

    public PseudoHeader {
        if (addresses.length() != IPV4 && addresses.length() != IPV6) {
            throw new IllegalArgumentException(addresses.length() + " bytes are not two addresses");
        }
    }

    /** Of IPv4. */
    public static PseudoHeader ofIpv4(final long source, final long destination) {
        return new PseudoHeader(new BytesWriter().u32(source).u32(destination).bytes());
    }

    /** Whether UDP may be without a checksum: over IPv4 alone. */
    boolean mayHaveNoChecksum() {
        return addresses.length() == IPV4;
    }

    /** The sum that the checksum of some bytes begins with. */
    long sum(final int protocol, final int length) {
        return Checksum.add(protocol + (length >> 16) + (length & 0xffff), addresses);
    }
}
