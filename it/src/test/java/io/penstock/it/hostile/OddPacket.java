// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.hostile;

import io.penstock.pipeline.net.Ipv4;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * An IPv4 packet, every field of which can be set to what it must not be. The header checksum is right for the header
 * that is there. Immutable.
 *
 * @param number in the field of the identification, by which it is known again
 * @param version four bits, 4 where nothing is odd
 * @param words length of the header that it tells, in 32-bit words
 * @param lengthError what is added to the true length in the field of the total length
 * @param fragment flags and offset, as they are in the header
 * @param options behind the header, in hexadecimal digits
 * @param payload behind all that
 */
record OddPacket(int number, String source, String destination, int version, int words, int lengthError, int fragment,
        int ttl, int protocol, String options, byte[] payload) {
    private static final int HEADER = 20;
    private static final int CHECKSUM = 10;
    private static final HexFormat HEX = HexFormat.of();

    /** A packet in which nothing is odd yet. */
    static OddPacket of(final int number, final String source, final String destination, final int protocol,
            final byte[] payload) {
        return new OddPacket(number, source, destination, 4, 5, 0, 0, 64, protocol, "", payload);
    }

    OddPacket withVersion(final int other) {
        return new OddPacket(number, source, destination, other, words, lengthError, fragment, ttl, protocol, options,
            payload);
    }

    OddPacket withWords(final int other) {
        return new OddPacket(number, source, destination, version, other, lengthError, fragment, ttl, protocol, options,
            payload);
    }

    OddPacket withLengthError(final int other) {
        return new OddPacket(number, source, destination, version, words, other, fragment, ttl, protocol, options,
            payload);
    }

    OddPacket withFragment(final int other) {
        return new OddPacket(number, source, destination, version, words, lengthError, other, ttl, protocol, options,
            payload);
    }

    OddPacket withTtl(final int other) {
        return new OddPacket(number, source, destination, version, words, lengthError, fragment, other, protocol,
            options, payload);
    }

    /** With options, and the header that is as long as that. */
    OddPacket withOptions(final String digits) {
        return new OddPacket(number, source, destination, version, 5 + digits.length() / 8, lengthError, fragment, ttl,
            protocol, digits, payload);
    }

    /** Whether a switch reads it: the header ends in the packet, which is not longer than what is there. */
    boolean isRead() {
        final int there = HEADER + options.length() / 2 + payload.length;
        final int told = there + lengthError & 0xffff;
        return words >= 5 && 4 * words <= told && told <= there;
    }

    /** The packet in hexadecimal digits. */
    String digits() {
        final ByteBuffer packet = ByteBuffer.allocate(HEADER + options.length() / 2 + payload.length);
        packet.put((byte) (version << 4 | words)).put((byte) 0).putShort((short) (packet.capacity() + lengthError))
            .putShort((short) number).putShort((short) fragment).put((byte) ttl).put((byte) protocol)
            .putShort((short) 0).putInt((int) Ipv4.parse(source).number())
            .putInt((int) Ipv4.parse(destination).number())
            .put(HEX.parseHex(options)).put(payload);
        final int header = Math.min(packet.capacity() & ~1, Math.max(HEADER, 4 * words));
        packet.putShort(CHECKSUM, checksum(packet, 0, header, 0));
        return HEX.formatHex(packet.array());
    }

    /** Of an even number of bytes (RFC 1071). */
    static short checksum(final ByteBuffer bytes, final int from, final int to, final int start) {
        int sum = start;
        for (int index = from; index < to; index += Short.BYTES) {
            sum += bytes.getShort(index) & 0xffff;
        }
        while (sum > 0xffff) {
            sum = (sum >> 16) + (sum & 0xffff);
        }
        return (short) ~sum;
    }

    /** What an address adds to the checksum of a header above. */
    static int halves(final String address) {
        final long bits = Ipv4.parse(address).number();
        return (int) (bits >> 16) + (int) (bits & 0xffff);
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof OddPacket odd && odd.digits().equals(digits());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(payload) + number;
    }

    @Override
    public String toString() {
        return "packet " + number + ", TTL " + ttl + ", protocol " + protocol + ": " + digits();
    }
}
