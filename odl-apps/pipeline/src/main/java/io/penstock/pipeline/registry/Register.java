// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;

/**
 * What the registers hold, and between which tables. A register keeps its value through connection tracking and is zero
 * again once a frame has left through a port.
 */
public enum Register {
    VRF(MatchField.REG0, 15, 0, Table.CLASSIFY, Table.CHAIN_ENTER,
        "VRF id: 1 is the backbone, tenants start at 2; also the conntrack zone of its translations."),
    DOMAIN(MatchField.REG0, 23, 16, Table.CLASSIFY, Table.L2_FORWARD,
        "Broadcast domain of the attachment within its VRF."),
    FROM_BACKBONE(MatchField.REG0, 24, 24, Table.CLASSIFY, Table.CHAIN_ENTER,
        "1 for a packet from the backbone; it must not return there."),
    FOUND(MatchField.REG0, 25, 25, Table.L2_LOOKUP, Table.NEIGHBOUR_FOUND,
        "1 when a learned flow matched the host or next hop."),
    SESSION(MatchField.REG0, 26, 26, Table.NAT_IN, Table.BACKBONE_ROUTE,
        "1 when a session has translated the packet."),
    COPY(MatchField.REG0, 27, 27, Table.NAT_OUT_KNOWN, Table.NAT_OUT_CHECK,
        "1 in the copy of a packet from which a session may be learned; the copy never leaves."),
    OPEN(MatchField.REG0, 28, 28, Table.NAT_IN, Table.BACKBONE_ROUTE,
        "1 in a VRF whose connections have sessions."),
    LEARNED(MatchField.REG0, 29, 29, Table.NAT_OUT_CHECK, Table.NAT_OUT_CHECK,
        "1 when a session was learned, 0 when there are too many."),
    BLOCK(MatchField.REG0, 31, 30, Table.NAT_TRANSLATE, Table.NAT_OUT_CHECK,
        "Number of port blocks of the subscriber, after the first, that were full for this packet."),
    NEXT_HOP(MatchField.REG1, 31, 0, Table.BACKBONE_IN, Table.NEIGHBOUR_FOUND,
        "IPv4 address of the next hop; before routing, the target of an ARP request."),
    IN_ATTACHMENT(MatchField.REG2, 27, 0, Table.CLASSIFY, Table.GATEWAY_PING,
        "Origin of the frame: OpenFlow port << 12 | VLAN."),
    OUT_ATTACHMENT(MatchField.REG3, 27, 0, Table.BACKBONE_IN, Table.EGRESS,
        "Output of the frame: OpenFlow port << 12 | VLAN."),
    MAP_ADDRESS(MatchField.REG4, 31, 0, Table.NAT_IN, Table.NAT_PORTS,
        "Public address of a mapping."),
    MAP_PORT(MatchField.REG5, 15, 0, Table.NAT_IN, Table.NAT_PORTS,
        "Public port of a mapping, or one that is checked for it."),
    MAPPED(MatchField.REG5, 16, 16, Table.NAT_IN, Table.NAT_PORTS,
        "1 when there is a mapping, or when the checked port is in use."),
    MAP_LEARNED(MatchField.REG5, 17, 17, Table.NAT_IN, Table.NAT_MAP_OUT,
        "1 when the mapping was learned, 0 when there are too many."),
    ERROR_KIND(MatchField.REG5, 20, 18, Table.BACKBONE_IN, Table.ROUTING_ERROR,
        "Kind of ICMP error about this packet, by the numbers of ErrorKind."),
    TOO_BIG(MatchField.REG5, 21, 21, Table.VRF_ROUTE, Table.NEIGHBOUR_LOOKUP,
        "1 when the packet is longer than the outgoing network accepts."),
    LOOKED_UP(MatchField.REG5, 22, 22, Table.NAT_TRANSLATE, Table.NAT_BEGIN,
        "1 when it is known whether the packet begins a connection."),
    KNOWN(MatchField.REG5, 23, 23, Table.BACKBONE_IN, Table.ND_LEARN,
        "1 when a host or next hop was learned, 0 when there are too many."),
    MAP_INSIDE_ADDRESS(MatchField.REG6, 31, 0, Table.NAT_IN, Table.NAT_PORTS,
        "Inside address of the mapping."),
    MAP_INSIDE_PORT(MatchField.REG7, 15, 0, Table.NAT_IN, Table.NAT_PORTS,
        "Inside port of the mapping."),
    ZONE(MatchField.REG7, 31, 16, Table.CHAIN_RETURN, Table.TRACKED,
        "Conntrack zone of the next pass: that of the tenant's translations, access lists or chains."),
    ERROR_MTU(MatchField.REG12, 15, 0, Table.VRF_ROUTE, Table.ROUTING_ERROR,
        "Longest packet that the outgoing network accepts, where lengths are checked."),
    DROP(FlowSpec.DROP_NUMBER.field(), FlowSpec.DROP_NUMBER.high(), FlowSpec.DROP_NUMBER.low(), Table.CLASSIFY,
        Table.EGRESS,
        "Number of the flow that drops the packet, where a node reports drops."),
    NEXT_HOP6(MatchField.XXREG2, 127, 0, Table.BACKBONE_IN, Table.NEIGHBOUR_FOUND,
        "IPv6 address of the next hop; before routing, the address that is pinged."),
    NEIGHBOUR_LEARNED(MatchField.REG13, 0, 0, Table.BACKBONE_ND, Table.ND_LEARN,
        "1 when an IPv6 neighbour was learned, 0 when there are too many."),
    SENDER(MatchField.REG13, 31, 16, Table.CHAIN_RETURN, Table.ROUTING_ERROR,
        "VRF id of the tenant that sent the packet to the backbone, also when it has come back to a public address; 0 "
            + "for all other packets."),
    AFTER(MatchField.REG14, 7, 0, Table.CHAIN_RETURN, Table.AFTER_TRACKED,
        "Number of the table in which the packet goes on after that pass."),
    LIMITED(MatchField.REG14, 8, 8, Table.CHAIN_RETURN, Table.AFTER_TRACKED,
        "1 in a fragment that has passed the meter of fragments."),
    FUNCTION(MatchField.REG14, 31, 16, Table.CLASSIFY, Table.CHAIN_KEEP,
        "Function that the frame comes from, then the one it goes to: the lowest OpenFlow port of its instances, or "
            + "the port of its second output."),
    INSTANCE(MatchField.REG15, 15, 0, Table.CHAIN_RETURN, Table.CHAIN_ENTER,
        "Instance that the frame goes to, by the OpenFlow port of its tenant side; or the second output by which its "
            + "connection leaves a function; 0 when the connection keeps neither."),
    CHAIN(MatchField.REG15, 31, 25, Table.CHAIN_RULE, Table.CHAIN_SIDE,
        "Chain of the tenant that the packet passes; 0 for packets that no rule matches."),
    PLACE(MatchField.REG15, 24, 22, Table.CHAIN_RETURN, Table.CHAIN_KEEP,
        "Position in ct_label of the sixteen bits that keep the instance of that function."),
    BUCKET(MatchField.REG15, 21, 16, Table.CHAIN_INSTANCE, Table.CHAIN_PICK,
        "Bits of the packet that distribute new connections.");

    private final FieldRange range;
    private final Table first;
    private final Table last;
    private final String meaning;

    Register(final MatchField field, final int high, final int low, final Table first, final Table last,
            final String meaning) {
        this.range = new FieldRange(field, high, low);
        this.first = first;
        this.last = last;
        this.meaning = meaning;
    }

    /** The bits. */
    public FieldRange range() {
        return range;
    }

    /** First table that may write it. */
    public Table first() {
        return first;
    }

    /** Last table that may read it. */
    public Table last() {
        return last;
    }

    /** Whether flows of a table may read and write it. */
    boolean livesIn(final Table table) {
        return first.number() <= table.number() && table.number() <= last.number();
    }

    /** One sentence for the pipeline document. */
    public String meaning() {
        return meaning;
    }

    /** An action that sets it. */
    public Action load(final long value) {
        return new Action.Load(range, value);
    }

    /** Its value in the register that it is a part of. */
    public long in(final long register) {
        return (register & range.mask()) >>> range.low();
    }

    /** A match on its value. */
    public FieldMatch is(final long value) {
        return FieldMatch.of(range, value);
    }

    /** The value for {@link #IN_ATTACHMENT} and {@link #OUT_ATTACHMENT}; VLAN 0 is untagged. */
    public static long place(final int port, final int vlan) {
        return (long) port << 12 | vlan;
    }
}
