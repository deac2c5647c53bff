// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import java.util.Arrays;
import java.util.Optional;

/** What a router has to tell the sender of a packet that it does not forward; {@link Register#ERROR_KIND} has it. */
public enum ErrorKind {
    /** The packet may not be forwarded once more (RFC 1812, section 5.3.1; RFC 8200, section 3). */
    TIME_EXCEEDED(1),
    /** There is no way to the destination (RFC 1812, section 5.2.7.1; RFC 4443, section 3.1). */
    NO_ROUTE(2),
    /** It is longer than what the way out takes: {@link Register#ERROR_MTU} (RFC 1191, section 4; RFC 8201). */
    TOO_BIG(3),
    /** It has arrived, and nobody listens at its port (RFC 1122, section 3.2.2.1). */
    NO_PORT(4);

    private final int number;

    ErrorKind(final int number) {
        this.number = number;
    }

    /** Value in the register, 1..7; 0 is a packet of which nobody is told. */
    public int number() {
        return number;
    }

    /** The kind with a number, if there is one. */
    public static Optional<ErrorKind> ofNumber(final long number) {
        return Arrays.stream(values()).filter(kind -> kind.number == number).findFirst();
    }
}
