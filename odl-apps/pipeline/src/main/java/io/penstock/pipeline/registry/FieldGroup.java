// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import io.penstock.pipeline.flow.MatchField;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Fields that a table matches or sets together. Source and destination addresses are apart, because a cached flow has
 * all fields that the tables on its way match: a table that matches sources makes a cached flow for each of them.
 */
public enum FieldGroup {
    PORT(MatchField.IN_PORT),
    MAC(MatchField.ETH_SRC, MatchField.ETH_DST),
    FAMILY(MatchField.ETH_TYPE),
    VLAN(MatchField.VLAN_VID),
    ARP(MatchField.ARP_OP, MatchField.ARP_SPA, MatchField.ARP_TPA, MatchField.ARP_SHA, MatchField.ARP_THA),
    IPV4_SOURCE(MatchField.IP_SRC),
    IPV4_DESTINATION(MatchField.IP_DST),
    IPV6_SOURCE(MatchField.IPV6_SRC),
    IPV6_DESTINATION(MatchField.IPV6_DST),
    PROTOCOL(MatchField.IP_PROTO),
    TTL(MatchField.IP_TTL),
    FRAGMENT(MatchField.IP_FRAG),
    TRANSPORT(MatchField.TCP_SRC, MatchField.TCP_DST, MatchField.UDP_SRC, MatchField.UDP_DST, MatchField.SCTP_SRC,
        MatchField.SCTP_DST),
    TCP_FLAGS(MatchField.TCP_FLAGS),
    ICMP(MatchField.ICMP_TYPE, MatchField.ICMP_CODE, MatchField.ICMPV6_TYPE, MatchField.ICMPV6_CODE),
    DISCOVERY(MatchField.ND_TARGET, MatchField.ND_SLL, MatchField.ND_TLL, MatchField.ND_RESERVED,
        MatchField.ND_OPTIONS_TYPE),
    CONNTRACK(MatchField.CT_STATE, MatchField.CT_ZONE, MatchField.CT_MARK, MatchField.CT_LABEL,
        MatchField.CT_NW_SRC, MatchField.CT_TP_SRC, MatchField.CT_IPV6_SRC),
    SERVICE_HEADER(MatchField.NSH_MDTYPE, MatchField.NSH_SPI, MatchField.NSH_SI),
    /** All that an entry of an access list, or of a rule for chains, can be about. */
    LIST_ENTRY(MatchField.ETH_TYPE, MatchField.IP_SRC, MatchField.IP_DST, MatchField.IPV6_SRC, MatchField.IPV6_DST,
        MatchField.IP_PROTO, MatchField.IP_FRAG, MatchField.TCP_SRC, MatchField.TCP_DST, MatchField.UDP_SRC,
        MatchField.UDP_DST, MatchField.ICMP_TYPE, MatchField.ICMP_CODE, MatchField.ICMPV6_TYPE,
        MatchField.ICMPV6_CODE, MatchField.CONJ_ID);

    private final Set<MatchField> fields;

    FieldGroup(final MatchField... fields) {
        this.fields = Collections.unmodifiableSet(EnumSet.copyOf(Arrays.asList(fields)));
    }

    /** The fields; none is a register. */
    public Set<MatchField> fields() {
        return fields;
    }

    /** Name in documents. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
