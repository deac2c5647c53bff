// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.icmp;

/** What became of a packet of which a router may have to tell the sender. */
public enum Outcome {
    SENT("sent"),
    MALFORMED("not sent: malformed packet"),
    ABOUT_ERROR("not sent: packet is an ICMP error"),
    LATER_FRAGMENT("not sent: packet is a later fragment"),
    TO_GROUP("not sent: packet to a group"),
    FROM_NOBODY("not sent: source is not a host address"),
    NOT_INSIDE("not sent: source is not inside the VRF"),
    MAY_FRAGMENT("not sent: too big, but fragmentation is permitted"),
    TOO_MANY("not sent: limit of one sender reached"),
    NO_ROUTER("not sent: no source address for it");

    private final String text;

    Outcome(final String text) {
        this.text = text;
    }

    /** For people. */
    public String text() {
        return text;
    }
}
