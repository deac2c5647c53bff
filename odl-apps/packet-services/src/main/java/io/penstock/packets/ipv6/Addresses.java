// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.ipv6;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.pipeline.net.Ipv6;
import java.util.List;

/** IPv6 addresses in the words of frames. */
public final class Addresses {
    private static final int HALF = 32;

    private Addresses() {
        // Only functions.
    }

    /** The 16 bytes of an address. */
    public static Bytes bytes(final Ipv6 address) {
        return new BytesWriter().u32(address.high() >>> HALF).u32(address.high()).u32(address.low() >>> HALF)
            .u32(address.low()).bytes();
    }

    static List<Bytes> bytes(final List<Ipv6> addresses) {
        return addresses.stream().map(Addresses::bytes).toList();
    }

    /**
     * The address that 16 bytes are.
     *
     * @throws IndexOutOfBoundsException when there are fewer
     */
    public static Ipv6 of(final Bytes bytes) {
        return new Ipv6(bytes.u32(0) << HALF | bytes.u32(4), bytes.u32(8) << HALF | bytes.u32(12));
    }
}
