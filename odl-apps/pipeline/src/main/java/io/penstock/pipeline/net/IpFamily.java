// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import java.util.Map;

/** The two versions of IP. */
public enum IpFamily {
    /** Echo, timestamp and information (RFC 792). */
    IPV4(Map.of(8, 0, 13, 14, 15, 16)),
    /** Echo (RFC 4443). */
    IPV6(Map.of(128, 129));

    private final Map<Integer, Integer> replies;

    IpFamily(final Map<Integer, Integer> replies) {
        this.replies = replies;
    }

    /** The types of ICMP by which a connection begins in conntrack, each with the type that answers it. */
    public Map<Integer, Integer> replies() {
        return replies;
    }
}
