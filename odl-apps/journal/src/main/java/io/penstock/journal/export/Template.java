// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static io.penstock.journal.export.Element.INGRESS_VRF_ID;
import static io.penstock.journal.export.Element.NAT_EVENT;
import static io.penstock.journal.export.Element.NAT_POOL_NAME;
import static io.penstock.journal.export.Element.NAT_QUOTA_EXCEEDED_EVENT;
import static io.penstock.journal.export.Element.NAT_THRESHOLD_EVENT;
import static io.penstock.journal.export.Element.OBSERVATION_TIME_MILLISECONDS;
import static io.penstock.journal.export.Element.PORT_RANGE_END;
import static io.penstock.journal.export.Element.PORT_RANGE_START;
import static io.penstock.journal.export.Element.POST_NAPT_SOURCE_TRANSPORT_PORT;
import static io.penstock.journal.export.Element.POST_NAT_SOURCE_IPV4_ADDRESS;
import static io.penstock.journal.export.Element.PROTOCOL_IDENTIFIER;
import static io.penstock.journal.export.Element.SOURCE_IPV4_ADDRESS;
import static io.penstock.journal.export.Element.SOURCE_IPV4_PREFIX_LENGTH;
import static io.penstock.journal.export.Element.SOURCE_TRANSPORT_PORT;
import static io.penstock.journal.export.Element.VRF_NAME;

import java.util.List;

/** Templates of NAT events (RFC 8158, section 5.6). docs/flow-records.md lists them for the operators of collectors. */
enum Template {
    /** A block of ports is allocated or de-allocated. */
    PORT_BLOCK(256, OBSERVATION_TIME_MILLISECONDS, NAT_EVENT, INGRESS_VRF_ID, SOURCE_IPV4_ADDRESS,
        POST_NAT_SOURCE_IPV4_ADDRESS, PORT_RANGE_START, PORT_RANGE_END, VRF_NAME),
    /** Public addresses are bound to inside addresses. The prefix has the length of the public one, or is 0.0.0.0/0. */
    ADDRESS_BINDING(257, OBSERVATION_TIME_MILLISECONDS, NAT_EVENT, INGRESS_VRF_ID, SOURCE_IPV4_ADDRESS,
        SOURCE_IPV4_PREFIX_LENGTH, POST_NAT_SOURCE_IPV4_ADDRESS, VRF_NAME),
    /** A public port is forwarded: an entry of the binding information base. */
    FORWARD(258, OBSERVATION_TIME_MILLISECONDS, NAT_EVENT, INGRESS_VRF_ID, SOURCE_IPV4_ADDRESS,
        POST_NAT_SOURCE_IPV4_ADDRESS, PROTOCOL_IDENTIFIER, SOURCE_TRANSPORT_PORT, POST_NAPT_SOURCE_TRANSPORT_PORT,
        VRF_NAME),
    /** A pool has no address left. */
    ADDRESSES_EXHAUSTED(259, OBSERVATION_TIME_MILLISECONDS, NAT_EVENT, NAT_POOL_NAME),
    /** A pool crosses a threshold. */
    THRESHOLD(260, OBSERVATION_TIME_MILLISECONDS, NAT_EVENT, NAT_THRESHOLD_EVENT, NAT_POOL_NAME),
    /** Inside addresses of a tenant have no block of ports left. */
    PORTS_EXHAUSTED(261, OBSERVATION_TIME_MILLISECONDS, NAT_EVENT, SOURCE_IPV4_ADDRESS, SOURCE_IPV4_PREFIX_LENGTH,
        VRF_NAME),
    /** A tenant has as many connections as it may have. */
    QUOTA_EXCEEDED(262, OBSERVATION_TIME_MILLISECONDS, NAT_EVENT, NAT_QUOTA_EXCEEDED_EVENT, VRF_NAME);

    private final int number;
    private final List<Element> elements;

    Template(final int number, final Element... elements) {
        this.number = number;
        this.elements = List.of(elements);
    }

    /** The template id: records with it follow this template. */
    int number() {
        return number;
    }

    /** What a record has, in order. */
    List<Element> elements() {
        return elements;
    }
}
