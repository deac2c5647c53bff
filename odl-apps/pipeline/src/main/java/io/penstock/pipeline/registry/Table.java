// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The OpenFlow tables in the order a packet meets them. Numbers are fixed: a number that was once in use is never given
 * another meaning. The names are written to the switch, so that {@code ovs-ofctl dump-flows --names} shows them.
 */
public enum Table {
    CLASSIFY(0, Owner.ACCESS, "Who sent the frame: an attachment, an uplink, or a network function.",
        List.of("CHAIN_ROUTED", "CHAIN_RETURN", "DNS_RETURN", "BACKBONE_IN", "ACCESS_GUARD", "ACCESS_LEARN")),
    CHAIN_ROUTED(3, Owner.CHAIN, "From a network function that routes: answers its ARP, and gives packets the tag of "
        + "its tenant.",
        List.of("CHAIN_RETURN")),
    CHAIN_RETURN(4, Owner.CHAIN, "Where a frame goes that comes back from a network function; behind the last one "
        + "twice NAT of the destination.",
        List.of("CHAIN_RULE", "CHAIN_TRACK", "TENANT_ACL_IN", "VRF_ROUTE", "NAT_MAP", "BACKBONE_ROUTE")),
    CHAIN_RULE(5, Owner.CHAIN, "Back from a function that stands in several chains of the tenant: which rule it is of.",
        List.of("CHAIN_STEER")),
    CHAIN_STEER(6, Owner.CHAIN, "Where it goes in that chain.",
        List.of("CHAIN_TRACK", "TENANT_ACL_IN", "VRF_ROUTE", "NAT_MAP", "BACKBONE_ROUTE")),
    DNS_RETURN(8, Owner.DNS, "From the resolver of the node: whose answer it is.", List.of("VRF_ROUTE")),
    BACKBONE_IN(10, Owner.BACKBONE, "Frames from an uplink: ARP, ping to the backbone address, public addresses.",
        List.of("NAT_IN", "BACKBONE_ND", "CHAIN_IN", "ROUTING_ERROR", "EGRESS")),
    NAT_IN(11, Owner.NAT, "To a public address: looks the session up that translates the packet.",
        List.of("NAT_IN_KNOWN")),
    BACKBONE_ND(12, Owner.IPV6, "Neighbour discovery on an uplink: answers for the backbone address, learns routers.",
        List.of("ND_ANSWER")),
    NAT_IN_KNOWN(13, Owner.NAT, "Translated by a session, or else by connection tracking.", List.of("CHAIN_IN")),
    NAT_IN_CHECK(15, Owner.NAT, "After reverse translation: replies, their errors and published services go on.",
        List.of("CHAIN_IN")),
    NAT_IN_NEW(17, Owner.NAT, "New connections from the backbone: only what was translated goes on.",
        List.of("CHAIN_IN")),
    CHAIN_IN(18, Owner.CHAIN, "Towards the tenant: twice NAT of the source; then the last function of the tenant's "
        + "chain, or straight on.",
        List.of("CHAIN_TRACK", "TENANT_ACL_IN", "VRF_ROUTE")),
    ACCESS_GUARD(19, Owner.GUARD, "From an attachment: whether the sender may use the addresses it sends from.",
        List.of("ACCESS_LEARN", "ND_GUARD")),
    ACCESS_LEARN(20, Owner.ACCESS, "Frames from an attachment: learns the host's MAC address from its ARP.",
        List.of("ND_LEARN", "ARP_REPLY", "L2_LOOKUP")),
    ND_GUARD(21, Owner.IPV6, "Neighbour discovery from an attachment: whether the sender may speak of the address.",
        List.of("ND_LEARN")),
    ND_LEARN(22, Owner.IPV6, "Neighbour discovery from an attachment: learns the host's MAC address.",
        List.of("ND_REPLY", "L2_LOOKUP")),
    ARP_REPLY(24, Owner.ACCESS, "Answers ARP requests for the gateways of the VRF.",
        List.of("L2_LOOKUP", "EGRESS")),
    ND_REPLY(26, Owner.IPV6, "Makes a neighbour solicitation for a gateway of the VRF an advertisement.",
        List.of("ND_ANSWER", "L2_LOOKUP")),
    ND_ANSWER(28, Owner.IPV6, "Gives that advertisement the router's MAC address, and sends it back.",
        List.of("EGRESS")),
    L2_LOOKUP(30, Owner.ACCESS, "Frames for the gateway go to routing, others look their host up.",
        List.of("GATEWAY", "L2_FORWARD", "DHCP_REQUEST", "IPV6_REQUEST")),
    L2_HOSTS(32, Owner.ACCESS, "Learned: where the host with this MAC address is.", List.of()),
    L2_FORWARD(34, Owner.ACCESS, "To the host that was found, or to the whole broadcast domain.",
        List.of("EGRESS")),
    GATEWAY(40, Owner.VRF, "Packets to route: limits pings, drops foreign sources, finds used-up TTLs.",
        List.of("GATEWAY_PING", "VRF_ROUTE", "ROUTING_ERROR", "EGRESS", "DHCP_REQUEST")),
    GATEWAY_PING(41, Owner.VRF, "Pings of gateways, behind the limit of their tenant: makes them answers.",
        List.of("EGRESS")),
    DHCP_REQUEST(42, Owner.DHCP, "For the DHCP server of a VRF: to the controller, as many as the tenant may send.",
        List.of()),
    IPV6_REQUEST(43, Owner.IPV6, "Of hosts that look for a router or ask by DHCPv6: to the controller, as many as the "
        + "tenant may send.", List.of()),
    TENANT_ACL_IN(46, Owner.ACL, "What may come to the tenant from the backbone.",
        List.of("TENANT_ACL_IN_DENIED", "TENANT_ACL_IN_TRACK", "VRF_ROUTE")),
    TENANT_ACL_IN_DENIED(47, Owner.ACL, "Not permitted: looks for a connection to which it is the answer.",
        List.of("TENANT_ACL_IN_REPLY")),
    TENANT_ACL_IN_TRACK(48, Owner.ACL, "Permitted: the connection is known from here on.", List.of("VRF_ROUTE")),
    TENANT_ACL_IN_REPLY(49, Owner.ACL, "Only answers to what the tenant may send, and errors about it.",
        List.of("VRF_ROUTE")),
    VRF_ROUTE(50, Owner.VRF, "Longest-prefix routing inside the VRF; decrements the TTL.",
        List.of("TENANT_ACL", "NEIGHBOUR_LOOKUP", "ROUTING_ERROR")),
    TENANT_ACL(54, Owner.ACL, "What the tenant may send to the backbone.",
        List.of("TENANT_ACL_DENIED", "TENANT_ACL_TRACK", "CHAIN_OUT")),
    TENANT_ACL_DENIED(55, Owner.ACL, "Not permitted: looks for a connection to which it is the answer.",
        List.of("TENANT_ACL_REPLY")),
    TENANT_ACL_TRACK(56, Owner.ACL, "Permitted: the connection is known from here on.", List.of("CHAIN_OUT")),
    TENANT_ACL_REPLY(57, Owner.ACL, "Only answers to what may come to the tenant, and errors about it.",
        List.of("CHAIN_OUT")),
    CHAIN_OUT(60, Owner.CHAIN, "Towards the backbone: the first function of the tenant's chain, or twice NAT of the "
        + "destination and straight on.",
        List.of("CHAIN_TRACK", "NAT_MAP", "BACKBONE_ROUTE", "ROUTING_ERROR")),
    NAT_MAP(62, Owner.NAT, "Looks up the mapping of a subscriber whose mappings do not depend on the destination.",
        List.of("NAT_MAP_PORT", "NAT_OUT")),
    NAT_MAP_PORT(63, Owner.NAT, "It has its mapping, or else a port is looked at.",
        List.of("NAT_MAP_OTHER_PORT", "NAT_MAP_LEARN")),
    NAT_MAP_OTHER_PORT(64, Owner.NAT, "That port is free, or else another one is looked at.",
        List.of("NAT_MAP_FREE", "NAT_MAP_LEARN")),
    NAT_MAP_FREE(65, Owner.NAT, "That one is free, or else connection tracking translates.",
        List.of("NAT_MAP_LEARN", "NAT_OUT")),
    NAT_MAP_LEARN(66, Owner.NAT, "Learns what comes back to the mapping, or keeps it alive.", List.of("NAT_MAP_OUT")),
    NAT_MAP_OUT(67, Owner.NAT, "Translates by the mapping, and learns it, unless there are too many.",
        List.of("BACKBONE_ROUTE", "NAT_OUT")),
    NAT_MAPPINGS(68, Owner.NAT, "Learned: public ports by address and port inside.", List.of()),
    NAT_PORTS(69, Owner.NAT, "Learned: address and port inside by public address and port.", List.of()),
    NAT_OUT(70, Owner.NAT, "To the backbone: looks the session up that translates the packet.",
        List.of("NAT_OUT_KNOWN", "BACKBONE_ROUTE")),
    NAT_OUT_KNOWN(71, Owner.NAT, "Translated by a session, or else by connection tracking.",
        List.of("NAT_TRANSLATE", "BACKBONE_ROUTE")),
    NAT_CROWDED(72, Owner.NAT, "Learned: VRFs that have more busy connections than sessions pay for.", List.of()),
    NAT_SAMPLE(73, Owner.NAT, "How many packets a second are looked at to learn sessions.", List.of()),
    NAT_SESSIONS(74, Owner.NAT, "Learned: how the packets of a busy connection are translated.", List.of()),
    NAT_TRANSLATE(75, Owner.NAT, "Translates the source to the tenant's public address.", List.of()),
    NAT_OUT_CHECK(76, Owner.NAT, "Only what was translated goes on to the backbone; copies teach sessions.",
        List.of("NAT_LEARNED", "BACKBONE_ROUTE")),
    NAT_LEARNED(77, Owner.NAT, "A VRF that may have no more sessions is crowded.", List.of()),
    NAT_BEGIN(78, Owner.NAT, "How many connections a tenant with a limit may begin in a second.", List.of()),
    BACKBONE_ROUTE(80, Owner.BACKBONE, "Longest-prefix routing to the transit gateways; what is for a public "
        + "address of this node begins again in backbone_in.", List.of("BACKBONE_ACL", "ROUTING_ERROR")),
    BACKBONE_ACL(82, Owner.ACL, "What may leave an uplink.", List.of("NEIGHBOUR_LOOKUP")),
    NEIGHBOUR_LOOKUP(90, Owner.NEIGHBOUR, "Looks the MAC address of the next hop up.",
        List.of("NEIGHBOUR_FOUND", "ROUTING_ERROR")),
    NEIGHBOURS(92, Owner.NEIGHBOUR, "Learned: MAC address and place of a next hop.", List.of()),
    NEIGHBOUR_FOUND(94, Owner.NEIGHBOUR, "An unknown next hop is asked for by the controller.", List.of("EGRESS")),
    ROUTING_ERROR(96, Owner.ERROR, "What a router has to tell the sender of: to the controller, as many as the tenant "
        + "may cause.", List.of()),
    CHAIN_BRANCH(97, Owner.CHAIN, "To a chain with a branch, behind connection tracking: what the connection keeps.",
        List.of("CHAIN_SIDE")),
    CHAIN_SIDE(98, Owner.CHAIN, "The last function of the chain, or of the branch if the connection is there.",
        List.of("CHAIN_TRACK")),
    EGRESS(100, Owner.ACCESS, "Tags the frame and sends it to its attachment or uplink.", List.of()),
    CHAIN_TRACK(101, Owner.CHAIN, "To a function that connections are spread over: looks the connection up.",
        List.of()),
    CHAIN_KNOWN(102, Owner.CHAIN, "Which instance the connection has.",
        List.of("CHAIN_INSTANCE")),
    CHAIN_INSTANCE(104, Owner.CHAIN, "That instance works, or else the connection gets another one.",
        List.of("CHAIN_PICK", "CHAIN_ENTER")),
    CHAIN_PICK(106, Owner.CHAIN, "The instance for a new connection.", List.of("CHAIN_KEEP")),
    CHAIN_KEEP(108, Owner.CHAIN, "Has the connection keep its instance.", List.of("CHAIN_ENTER")),
    CHAIN_ENTER(110, Owner.CHAIN, "Tags the frame with its VRF and sends it to the instance.", List.of());

    /** The stage class that writes a table. */
    public enum Owner { ACCESS, GUARD, CHAIN, BACKBONE, NAT, VRF, IPV6, DHCP, DNS, ACL, NEIGHBOUR, ERROR }

    private final int number;
    private final Owner owner;
    private final String purpose;
    private final List<String> next;

    Table(final int number, final Owner owner, final String purpose, final List<String> next) {
        this.number = number;
        this.owner = owner;
        this.purpose = purpose;
        this.next = next;
    }

    /** OpenFlow table number, 0..254. */
    public int number() {
        return number;
    }

    /** Which stage writes this table. */
    public Owner owner() {
        return owner;
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
     * the backbone begin. They cannot come a second time, for what comes from the backbone does not go back there. What
     * was looked at before it is translated goes back to be translated; {@link Register#LOOKED_UP} keeps it from coming
     * again.
     */
    public boolean mayResubmit(final Table other) {
        return other.number > number || this == BACKBONE_ROUTE && other == BACKBONE_IN
            || this == NAT_BEGIN && other == NAT_TRANSLATE;
    }

    /**
     * Whether a packet of this table may go on in {@code other} after connection tracking: forward, or to try the next
     * block of a subscriber to the same table again, which {@link Register#BLOCK} ends.
     */
    public boolean mayTrackTo(final Table other) {
        return other.number > number || this == NAT_OUT_CHECK && other == this;
    }

    /** Whether only the switch itself writes this table, with learn actions; it has no flow for the rest. */
    public boolean isLearned() {
        return this == L2_HOSTS || this == NEIGHBOURS || this == NAT_CROWDED || this == NAT_SESSIONS
            || this == NAT_MAPPINGS || this == NAT_PORTS;
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
