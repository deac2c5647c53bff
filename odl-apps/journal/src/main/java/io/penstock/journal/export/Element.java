// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

/** Information elements of IANA's registry for IPFIX (RFC 7012, RFC 8158), by the names that they have there. */
enum Element {
    PROTOCOL_IDENTIFIER(4, 1),
    SOURCE_TRANSPORT_PORT(7, 2),
    SOURCE_IPV4_ADDRESS(8, 4),
    SOURCE_IPV4_PREFIX_LENGTH(9, 1),
    POST_NAT_SOURCE_IPV4_ADDRESS(225, 4),
    POST_NAPT_SOURCE_TRANSPORT_PORT(227, 2),
    NAT_EVENT(230, 1),
    INGRESS_VRF_ID(234, 4),
    VRF_NAME(236, Element.VARIABLE),
    NAT_POOL_NAME(284, Element.VARIABLE),
    OBSERVATION_TIME_MILLISECONDS(323, 8),
    PORT_RANGE_START(361, 2),
    PORT_RANGE_END(362, 2),
    NAT_QUOTA_EXCEEDED_EVENT(466, 4),
    NAT_THRESHOLD_EVENT(467, 4);

    /** In place of a length, for texts: each value has its own length in front (RFC 7011, section 7). */
    static final int VARIABLE = 0xffff;

    private final int number;
    private final int length;

    Element(final int number, final int length) {
        this.number = number;
        this.length = length;
    }

    /** In IANA's registry. */
    int number() {
        return number;
    }

    /** Bytes of a value, or {@link #VARIABLE}. */
    int length() {
        return length;
    }
}
