// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

/**
 * What a packet has to do with fragments, by the names of ovs-fields(7). Bit 0 of {@link MatchField#IP_FRAG} is set in
 * every fragment, bit 1 in those that are not the first. Ports and ICMP types are only in what is {@link #NOT_LATER};
 * later IPv6 fragments have protocol 44 besides (RFC 8200, section 4.5).
 */
public enum Fragment {
    NO(0, 3),
    FIRST(1, 3),
    LATER(3, 3),
    YES(1, 1),
    NOT_LATER(0, 2);

    private final FieldMatch match;

    Fragment(final int value, final int mask) {
        match = new FieldMatch(MatchField.IP_FRAG, value, mask);
    }

    /** A match on such packets; it needs one on the Ethernet type beside it. */
    public FieldMatch match() {
        return match;
    }
}
