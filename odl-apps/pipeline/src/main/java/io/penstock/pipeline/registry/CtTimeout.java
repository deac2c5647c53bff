// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import java.util.Locale;

/**
 * Conntrack timeouts of every zone, by their names in CT_Timeout_Policy. Open vSwitch's own defaults are shorter than
 * the RFCs allow: 30 s for UDP against the two minutes of RFC 4787 REQ-5, and so on.
 */
public enum CtTimeout {
    /** RFC 5382 REQ-5: transitory connections at least 4 minutes. */
    TCP_SYN_SENT(240), TCP_SYN_RECV(240), TCP_FIN_WAIT(240), TCP_CLOSE_WAIT(240), TCP_LAST_ACK(240),
    TCP_TIME_WAIT(240), TCP_RETRANSMIT(240), TCP_UNACK(240),
    /** RFC 7857, section 2.2: what a RST has ended is kept for 4 minutes. */
    TCP_CLOSE(240),
    /** RFC 5382 REQ-5: at least 2 hours and 4 minutes. */
    TCP_ESTABLISHED(7440),
    /** RFC 4787 REQ-5: at least 2 minutes, 5 recommended. */
    UDP_FIRST(300), UDP_SINGLE(300), UDP_MULTIPLE(300),
    /** RFC 5508 REQ-1: at least 60 seconds. */
    ICMP_FIRST(60), ICMP_REPLY(60);

    private final int seconds;

    CtTimeout(final int seconds) {
        this.seconds = seconds;
    }

    /** Seconds. */
    public int seconds() {
        return seconds;
    }

    /** Key in CT_Timeout_Policy. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
