// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import java.util.Optional;

/** What a message is: option 53 (RFC 2132, section 9.6). */
public enum MessageType {
    DISCOVER, OFFER, REQUEST, DECLINE, ACK, NAK, RELEASE, INFORM;

    private static final MessageType[] BY_NUMBER = values();

    /** The type of a number; none if it is not of RFC 2132. */
    static Optional<MessageType> of(final int number) {
        return number < 1 || number > BY_NUMBER.length ? Optional.empty() : Optional.of(BY_NUMBER[number - 1]);
    }

    /** Its number. */
    int number() {
        return ordinal() + 1;
    }
}
