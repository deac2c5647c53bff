// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

/** The checksum of the Internet protocols (RFC 1071). */
final class Checksum {
    private Checksum() {
        // Only functions.
    }

    /** Adds bytes to a sum that begins with 0; an odd last one is the high half of a word. */
    static long add(final long sum, final Bytes bytes) {
        long total = sum;
        final int even = bytes.length() & ~1;
        for (int at = 0; at < even; at += 2) {
            total += bytes.u16(at);
        }
        return even == bytes.length() ? total : total + (bytes.u8(even) << 8);
    }

    /** The checksum of all that was added; 0 if the right one was among it. */
    static int of(final long sum) {
        long folded = sum;
        while (folded >> 16 != 0) {
            folded = (folded & 0xffff) + (folded >> 16);
        }
        return (int) ~folded & 0xffff;
    }
}
