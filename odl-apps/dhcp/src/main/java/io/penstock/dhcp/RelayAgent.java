// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.frames.Bytes;
import io.penstock.pipeline.net.Ipv4;
import java.util.Optional;

/** What a relay agent says of a client in option 82 (RFC 3046). */
final class RelayAgent {
    private static final int CIRCUIT_ID = 1;
    /** Link selection (RFC 3527). */
    private static final int LINK = 5;

    private RelayAgent() {
        // Only functions.
    }

    /** Whether an option consists of whole sub-options, and a link selection is an address. */
    static boolean isRight(final Bytes option) {
        int at = 0;
        while (at < option.length()) {
            if (at + 1 == option.length() || option.u8(at + 1) > option.length() - at - 2
                    || option.u8(at) == LINK && option.u8(at + 1) != 4) {
                return false;
            }
            at += 2 + option.u8(at + 1);
        }
        return true;
    }

    /** The circuit id, lower-case hexadecimal. */
    static Optional<String> circuitId(final DhcpMessage message) {
        return find(message, CIRCUIT_ID).map(Bytes::hex);
    }

    /** An address of the link that the client is on, if it is not the relay agent's. */
    static Optional<Ipv4> link(final DhcpMessage message) {
        return find(message, LINK).map(value -> new Ipv4(value.u32(0)));
    }

    private static Optional<Bytes> find(final DhcpMessage message, final int code) {
        final Bytes option = message.options().get(OptionCode.RELAY_AGENT).orElse(Bytes.EMPTY);
        for (int at = 0; at < option.length(); at += 2 + option.u8(at + 1)) {
            if (option.u8(at) == code) {
                return Optional.of(option.part(at + 2, option.u8(at + 1)));
            }
        }
        return Optional.empty();
    }
}
