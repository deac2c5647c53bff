// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.error;

/** What became of a packet of which a router may have to tell the sender. */
public enum Outcome {
    SENT("sent"),
    MALFORMED("not sent: malformed packet"),
    ABOUT_ERROR("not sent: about an ICMP error"),
    LATER_FRAGMENT("not sent: about a later fragment"),
    TO_GROUP("not sent: packet to a group"),
    FROM_NOBODY("not sent: source is no host"),
    NOT_INSIDE("not sent: source is not inside the VRF"),
    MAY_FRAGMENT("not sent: too big, and may be fragmented"),
    TOO_MANY("not sent: too many for one sender"),
    NO_ROUTER("not sent: no address to send from");

    private final String text;

    Outcome(final String text) {
        this.text = text;
    }

    /** For people. */
    public String text() {
        return text;
    }
}
