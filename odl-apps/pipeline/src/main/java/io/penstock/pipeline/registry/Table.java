// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The OpenFlow tables in the order a packet meets them. A number keeps its meaning within a layout
 * ({@link Cookie#LAYOUT_VERSION}). The names are written to the switch, so that {@code ovs-ofctl dump-flows --names}
 * shows them.
 */
public enum Table {
    CLASSIFY(0, "Identifies the origin of a frame: an attachment, an uplink, or a network function.",
        List.of("CHAIN_ROUTED", "CHAIN_RETURN", "DNS_RETURN", "BACKBONE_IN", "ACCESS_GUARD", "ACCESS_LEARN")),
    CHAIN_ROUTED(3, "Frames from a routed function: answers its ARP requests, and sets the tag of its "
        + "tenant.",
        List.of("CHAIN_RETURN")),
    CHAIN_RETURN(4, "Frames from a function: selects the next hop of the chain; after the last hop twice "
        + "NAT of the destination.",
        List.of("CHAIN_RULE", "CHAIN_TRACK", "TENANT_ACL_IN", "VRF_ROUTE", "NAT_MAP", "BACKBONE_ROUTE")),
    CHAIN_RULE(5, "Frames from a function in several chains of the tenant: finds their chain rule.",
        List.of("CHAIN_STEER")),
    CHAIN_STEER(6, "Selects the next hop in the chain of that rule.",
        List.of("CHAIN_TRACK", "TENANT_ACL_IN", "VRF_ROUTE", "NAT_MAP", "BACKBONE_ROUTE")),
    DNS_RETURN(8, "Answers from the resolver of the node: finds the VRF and restores the address of the "
        + "gateway.",
        List.of("VRF_ROUTE")),
    BACKBONE_IN(10, "Frames from an uplink: ARP, ping to the backbone address, public addresses.",
        List.of("NAT_IN", "BACKBONE_ND", "CHAIN_IN", "ROUTING_ERROR", "EGRESS")),
    NAT_IN(11, "Packets to a public address: looks up the session or mapping that translates them.",
        List.of("NAT_IN_KNOWN")),
    BACKBONE_ND(12, "Neighbour discovery on an uplink: answers for the backbone address, learns routers.",
        List.of("ND_ANSWER")),
    NAT_IN_KNOWN(13, "Translates by the session or mapping that was found; otherwise sends the packet to "
        + "conntrack.",
        List.of("CHAIN_IN")),
    NAT_IN_CHECK(15, "After reverse translation: forwards replies, their errors and packets to published "
        + "services.",
        List.of("CHAIN_IN")),
    NAT_IN_NEW(17, "New connections from the backbone: forwards only translated packets.",
        List.of("CHAIN_IN")),
    CHAIN_IN(18, "Packets to the tenant: twice NAT of the source, then the last function of the chain, if "
        + "there is one.",
        List.of("CHAIN_TRACK", "TENANT_ACL_IN", "VRF_ROUTE")),
    ACCESS_GUARD(19, "Packets from an attachment: checks that the sender may use their source addresses.",
        List.of("ACCESS_LEARN", "ND_GUARD")),
    ACCESS_LEARN(20, "Frames from an attachment: learns the MAC address of the host from its ARP.",
        List.of("ND_LEARN", "ARP_REPLY", "L2_LOOKUP")),
    ND_GUARD(21, "Neighbour discovery from an attachment: checks that the sender may use its address.",
        List.of("ND_LEARN")),
    ND_LEARN(22, "Neighbour discovery from an attachment: learns the MAC address of the host.",
        List.of("ND_REPLY", "L2_LOOKUP")),
    ARP_REPLY(24, "Answers ARP requests for the gateways of the VRF.", List.of("L2_LOOKUP", "EGRESS")),
    ND_REPLY(26, "Turns a neighbour solicitation for a gateway of the VRF into an advertisement.",
        List.of("ND_ANSWER", "L2_LOOKUP")),
    ND_ANSWER(28, "Sets the MAC address of the router in that advertisement, and returns it.",
        List.of("EGRESS")),
    L2_LOOKUP(30, "Sends frames for the gateway to routing, and looks up the host of all others.",
        List.of("GATEWAY", "L2_FORWARD", "DHCP_REQUEST", "IPV6_REQUEST")),
    L2_HOSTS(32, "Learned flows: the attachment of each MAC address.", List.of()),
    L2_FORWARD(34, "Forwards a frame to the host that was found, or to the whole broadcast domain.",
        List.of("EGRESS")),
    GATEWAY(40, "Packets to route: limits pings, drops foreign sources, finds expired TTLs.",
        List.of("GATEWAY_PING", "VRF_ROUTE", "ROUTING_ERROR", "EGRESS", "DHCP_REQUEST")),
    GATEWAY_PING(41, "Answers pings of gateways, within the limit of the tenant.", List.of("EGRESS")),
    DHCP_REQUEST(42, "Sends packets for the DHCP server of the VRF to the controller, within the limit of "
        + "the tenant.",
        List.of()),
    IPV6_REQUEST(43, "Sends router solicitations and DHCPv6 requests to the controller, within the limit "
        + "of the tenant.",
        List.of()),
    TENANT_ACL_IN(46, "Applies the ingress list of the tenant to packets from the backbone.",
        List.of("TENANT_ACL_IN_DENIED", "TENANT_ACL_IN_TRACK", "VRF_ROUTE")),
    TENANT_ACL_IN_DENIED(47, "Packets that the list denies: looks up their connection in conntrack.",
        List.of("TENANT_ACL_IN_REPLY")),
    TENANT_ACL_IN_TRACK(48, "Packets that the list permits: commits their connection to conntrack.",
        List.of("VRF_ROUTE")),
    TENANT_ACL_IN_REPLY(49, "Forwards replies to packets that the tenant may send, and errors about them.",
        List.of("VRF_ROUTE")),
    VRF_ROUTE(50, "Longest-prefix routing inside the VRF; decrements the TTL.",
        List.of("TENANT_ACL", "CHAIN_OUT", "NEIGHBOUR_LOOKUP", "ROUTING_ERROR")),
    TENANT_ACL(54, "Applies the egress list of the tenant to packets to the backbone.",
        List.of("TENANT_ACL_DENIED", "TENANT_ACL_TRACK", "CHAIN_OUT")),
    TENANT_ACL_DENIED(55, "Packets that the list denies: looks up their connection in conntrack.",
        List.of("TENANT_ACL_REPLY")),
    TENANT_ACL_TRACK(56, "Packets that the list permits: commits their connection to conntrack.",
        List.of("CHAIN_OUT")),
    TENANT_ACL_REPLY(57, "Forwards replies to packets that the tenant may receive, and errors about them.",
        List.of("CHAIN_OUT")),
    CHAIN_OUT(60, "Packets to the backbone: the first function of the chain, or without one twice NAT of "
        + "the destination.",
        List.of("CHAIN_TRACK", "NAT_MAP", "BACKBONE_ROUTE", "ROUTING_ERROR")),
    NAT_MAP(62, "Looks up the mapping of an endpoint-independent subscriber.",
        List.of("NAT_MAP_PORT", "NAT_OUT")),
    NAT_MAP_PORT(63, "Uses the mapping if there is one; otherwise checks a first public port.",
        List.of("NAT_MAP_OTHER_PORT", "NAT_MAP_LEARN")),
    NAT_MAP_OTHER_PORT(64, "Uses that port if it is free; otherwise checks a second one.",
        List.of("NAT_MAP_FREE", "NAT_MAP_LEARN")),
    NAT_MAP_FREE(65, "Uses the second port if it is free; otherwise leaves the translation to conntrack.",
        List.of("NAT_MAP_LEARN", "NAT_OUT")),
    NAT_MAP_LEARN(66, "Learns the reverse direction of the mapping, or keeps it alive.",
        List.of("NAT_MAP_OUT")),
    NAT_MAP_OUT(67, "Translates by the mapping and learns it; leaves the packet to conntrack if there are "
        + "too many mappings.",
        List.of("BACKBONE_ROUTE", "NAT_OUT")),
    NAT_MAPPINGS(68, "Learned flows: the public port of each address and port inside.", List.of()),
    NAT_PORTS(69, "Learned flows: the address and port inside of each public address and port.", List.of()),
    NAT_OUT(70, "Packets to the backbone: looks up the session that translates them.",
        List.of("NAT_OUT_KNOWN", "BACKBONE_ROUTE")),
    NAT_OUT_KNOWN(71, "Translates by the session that was found; otherwise sends the packet to conntrack.",
        List.of("NAT_TRANSLATE", "BACKBONE_ROUTE")),
    NAT_OPEN(72, "Flows of the node's agent: VRFs whose connections have sessions.", List.of()),
    NAT_SAMPLE(73, "Samples tracked packets for the node's agent.", List.of()),
    NAT_SESSIONS(74, "Learned flows: the translation of each busy connection.", List.of()),
    NAT_TRANSLATE(75, "Translates the source to the public address of the tenant.", List.of()),
    NAT_OUT_CHECK(76, "Forwards only translated packets to the backbone; learns sessions from copies.",
        List.of("BACKBONE_ROUTE")),
    NAT_BEGIN(78, "Limits the new connections a second of a tenant; packets of known ones go on.",
        List.of()),
    BACKBONE_ROUTE(80, "Longest-prefix routing to the transit gateways; packets to a public address of "
        + "this node continue in backbone_in.",
        List.of("BACKBONE_ACL", "ROUTING_ERROR")),
    BACKBONE_ACL(82, "Applies the egress list of the uplink.", List.of("NEIGHBOUR_LOOKUP")),
    NEIGHBOUR_LOOKUP(90, "Looks up the MAC address of the next hop.",
        List.of("NEIGHBOUR_FOUND", "ROUTING_ERROR")),
    NEIGHBOURS(92, "Learned flows: MAC address and attachment of each next hop.", List.of()),
    NEIGHBOUR_FOUND(94, "Forwards to the next hop that was found; the controller resolves an unknown "
        + "one.",
        List.of("EGRESS")),
    ROUTING_ERROR(96, "Sends packets that need an ICMP error to the controller, within the limit of the "
        + "tenant.",
        List.of()),
    CHAIN_BRANCH(97, "Packets to a chain with a branch, after conntrack: reads what the connection keeps.",
        List.of("CHAIN_SIDE")),
    CHAIN_SIDE(98, "Selects the last function of the chain, or of the branch if the connection is in the "
        + "branch.",
        List.of("CHAIN_TRACK")),
    EGRESS(100, "Tags the frame and sends it to its attachment or uplink.", List.of()),
    CHAIN_TRACK(101, "Packets to a function with instances: looks up their connection in conntrack.",
        List.of()),
    CHAIN_KNOWN(102, "Reads the instance that the connection keeps.", List.of("CHAIN_INSTANCE")),
    CHAIN_INSTANCE(104, "Uses that instance if it works; otherwise the connection gets another one.",
        List.of("CHAIN_PICK", "CHAIN_ENTER")),
    CHAIN_PICK(106, "Selects the instance of a new connection.", List.of("CHAIN_KEEP")),
    CHAIN_KEEP(108, "Stores the instance with the connection.", List.of("CHAIN_ENTER")),
    CHAIN_ENTER(110, "Tags the frame with its VRF and sends it to the instance.", List.of()),
    OWED_FLUSHES(112, "No packet comes here. Each flow names connections that the switch has still to "
        + "forget.",
        List.of());

    private final int number;
    private final String purpose;
    private final List<String> next;

    Table(final int number, final String purpose, final List<String> next) {
        this.number = number;
        this.purpose = purpose;
        this.next = next;
    }

    /** OpenFlow table number, 0..254. */
    public int number() {
        return number;
    }

    /** One sentence for the pipeline document. */
    public String purpose() {
        return purpose;
    }

    /** Tables that a flow of this one may go to by goto_table. */
    public List<Table> next() {
        return next.stream().map(Table::valueOf).toList();
    }

    /**
     * Whether a flow of this table may resubmit to {@code other}: forward, or for a hairpin back to where packets from
     * the backbone begin. They cannot come a second time, for what comes from the backbone does not go back there. A
     * packet that begins a connection goes back to be translated; {@link Register#LOOKED_UP} keeps it from coming
     * again. One of a known connection is translated, and goes to the table of such.
     */
    public boolean mayResubmit(final Table other) {
        return other.number > number || this == BACKBONE_ROUTE && other == BACKBONE_IN
            || this == NAT_BEGIN && (other == NAT_TRANSLATE || other == NAT_OUT_CHECK);
    }

    /**
     * Whether a packet of this table may go on in {@code other} after connection tracking: forward, or to try the next
     * block of a subscriber to the same table again, which {@link Register#BLOCK} ends.
     */
    public boolean mayTrackTo(final Table other) {
        return other.number > number || this == NAT_OUT_CHECK && other == this;
    }

    /**
     * Whether no plan has flows of this table: the switch itself writes it, with learn actions, or the agent of the
     * node, or the controller as it changes the switch. It has no flow for the rest.
     */
    public boolean isLearned() {
        return this == L2_HOSTS || this == NEIGHBOURS || this == NAT_OPEN || this == NAT_SESSIONS
            || this == NAT_MAPPINGS || this == NAT_PORTS || this == OWED_FLUSHES;
    }

    /**
     * Whether flows of this table lead packets through chains, or past lists. A cached flow that is older than a change
     * of such a table may let packets go where they must not go any more (ADR 26).
     */
    public boolean steers() {
        return switch (this) {
            case CHAIN_ROUTED, CHAIN_RETURN, CHAIN_RULE, CHAIN_STEER, CHAIN_IN, CHAIN_OUT, CHAIN_BRANCH, CHAIN_SIDE,
                CHAIN_TRACK, CHAIN_KNOWN, CHAIN_INSTANCE, CHAIN_PICK, CHAIN_KEEP, CHAIN_ENTER,
                TENANT_ACL_IN, TENANT_ACL_IN_DENIED, TENANT_ACL_IN_TRACK, TENANT_ACL_IN_REPLY,
                TENANT_ACL, TENANT_ACL_DENIED, TENANT_ACL_TRACK, TENANT_ACL_REPLY, BACKBONE_ACL -> true;
            default -> false;
        };
    }

    /** Name on the switch and in golden files. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The table with an OpenFlow number, if it is one of ours. */
    public static Optional<Table> ofNumber(final int number) {
        return Arrays.stream(values()).filter(table -> table.number == number).findFirst();
    }
}
