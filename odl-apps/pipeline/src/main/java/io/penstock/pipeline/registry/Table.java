// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import static io.penstock.pipeline.registry.FieldGroup.ARP;
import static io.penstock.pipeline.registry.FieldGroup.CONNTRACK;
import static io.penstock.pipeline.registry.FieldGroup.DISCOVERY;
import static io.penstock.pipeline.registry.FieldGroup.FAMILY;
import static io.penstock.pipeline.registry.FieldGroup.FRAGMENT;
import static io.penstock.pipeline.registry.FieldGroup.ICMP;
import static io.penstock.pipeline.registry.FieldGroup.IPV4_DESTINATION;
import static io.penstock.pipeline.registry.FieldGroup.IPV4_SOURCE;
import static io.penstock.pipeline.registry.FieldGroup.IPV6_DESTINATION;
import static io.penstock.pipeline.registry.FieldGroup.IPV6_SOURCE;
import static io.penstock.pipeline.registry.FieldGroup.LIST_ENTRY;
import static io.penstock.pipeline.registry.FieldGroup.MAC;
import static io.penstock.pipeline.registry.FieldGroup.PORT;
import static io.penstock.pipeline.registry.FieldGroup.PROTOCOL;
import static io.penstock.pipeline.registry.FieldGroup.SERVICE_HEADER;
import static io.penstock.pipeline.registry.FieldGroup.TCP_FLAGS;
import static io.penstock.pipeline.registry.FieldGroup.TRANSPORT;
import static io.penstock.pipeline.registry.FieldGroup.TTL;
import static io.penstock.pipeline.registry.FieldGroup.VLAN;
import static io.penstock.pipeline.registry.Terms.matches;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The OpenFlow tables in the order a packet meets them. A number keeps its meaning within a layout
 * ({@link Cookie#LAYOUT_VERSION}). The names are written to the switch, so that {@code ovs-ofctl dump-flows --names}
 * shows them.
 */
public enum Table {
    CLASSIFY(0, "Identifies the origin of a frame: an attachment, an uplink, or a network function.",
        matches(PORT, VLAN, FAMILY, MAC, PROTOCOL, ICMP, SERVICE_HEADER).sets(VLAN, SERVICE_HEADER)
            .to("CHAIN_ROUTED", "CHAIN_RETURN", "DNS_RETURN", "BACKBONE_IN", "ACCESS_GUARD", "ACCESS_LEARN")),
    CHAIN_ROUTED(3, "Frames from a routed function: answers its ARP requests, and sets the tag of its tenant.",
        matches(PORT, VLAN, FAMILY, MAC, ARP, IPV4_DESTINATION, PROTOCOL).sets(MAC, VLAN, ARP)
            .leaves(Exit.PORT, Exit.CONTROLLER).to("CHAIN_RETURN").steering()),
    CHAIN_RETURN(4, "Frames from a function: selects the next hop of the chain; after the last hop twice NAT of the "
        + "destination.",
        matches(PORT, VLAN, FAMILY, IPV4_DESTINATION, PROTOCOL, FRAGMENT, TRANSPORT)
            .sets(MAC, VLAN, IPV4_DESTINATION, CONNTRACK, SERVICE_HEADER).leaves(Exit.PORT, Exit.CONTROLLER)
            .looksUp("FRAGMENTS")
            .to("CHAIN_RULE", "CHAIN_TRACK", "TENANT_ACL_IN", "VRF_ROUTE", "NAT_MAP", "BACKBONE_ROUTE").steering()),
    CHAIN_RULE(5, "Frames from a function in several chains of the tenant: finds their chain rule.",
        matches(VLAN, LIST_ENTRY).to("CHAIN_STEER").steering()),
    CHAIN_STEER(6, "Selects the next hop in the chain of that rule.",
        matches(VLAN, FAMILY).sets(MAC, VLAN, CONNTRACK, SERVICE_HEADER).leaves(Exit.PORT).looksUp("FRAGMENTS")
            .to("CHAIN_TRACK", "TENANT_ACL_IN", "VRF_ROUTE", "NAT_MAP", "BACKBONE_ROUTE").steering()),
    DNS_RETURN(8, "Answers from the resolver of the node: finds the VRF and restores the address of the gateway.",
        matches(FAMILY, IPV4_SOURCE, IPV4_DESTINATION, IPV6_SOURCE, IPV6_DESTINATION, PROTOCOL, TRANSPORT)
            .sets(IPV4_SOURCE, IPV6_SOURCE).to("VRF_ROUTE")),
    BACKBONE_IN(10, "Frames from an uplink: ARP, ping to the backbone address, public addresses.",
        matches(FAMILY, MAC, ARP, IPV4_DESTINATION, IPV6_DESTINATION, PROTOCOL, TTL, FRAGMENT, ICMP)
            .sets(MAC, ARP, IPV4_SOURCE, IPV4_DESTINATION, IPV6_SOURCE, IPV6_DESTINATION, TTL, ICMP)
            .learns("NEIGHBOURS").to("NAT_IN", "BACKBONE_ND", "CHAIN_IN", "ROUTING_ERROR", "EGRESS")),
    NAT_IN(11, "Packets to a public address: looks up the session or mapping that translates them.",
        matches(FAMILY, IPV4_DESTINATION, PROTOCOL, FRAGMENT, TCP_FLAGS).looksUp("NAT_OPEN", "NAT_PORTS")
            .missesTo("NAT_IN_KNOWN")),
    BACKBONE_ND(12, "Neighbour discovery on an uplink: answers for the backbone address, learns routers.",
        matches(FAMILY, IPV6_SOURCE, PROTOCOL, TTL, ICMP, DISCOVERY)
            .sets(MAC, IPV6_SOURCE, IPV6_DESTINATION, ICMP, DISCOVERY).learns("NEIGHBOURS").to("ND_ANSWER")),
    NAT_IN_KNOWN(13, "Translates by the session or mapping that was found; otherwise sends the packet to conntrack.",
        matches(FAMILY, PROTOCOL, FRAGMENT, TRANSPORT).sets(IPV4_DESTINATION, TRANSPORT).tracksTo("NAT_IN_CHECK")
            .learns("NAT_MAPPINGS", "NAT_PORTS").to("CHAIN_IN")),
    NAT_IN_CHECK(15, "After reverse translation: forwards replies, their errors and packets to published services.",
        matches(FAMILY, IPV4_DESTINATION, PROTOCOL, TRANSPORT, CONNTRACK).sets(CONNTRACK).tracksTo("NAT_IN_NEW")
            .to("CHAIN_IN")),
    NAT_IN_NEW(17, "New connections from the backbone: forwards only translated packets.",
        matches(CONNTRACK).to("CHAIN_IN")),
    CHAIN_IN(18, "Packets to the tenant: twice NAT of the source, then the last function of the chain, if there is "
        + "one.",
        matches(LIST_ENTRY).sets(MAC, VLAN, IPV4_SOURCE, SERVICE_HEADER).tracksTo("CHAIN_BRANCH").leaves(Exit.PORT)
            .missesTo("VRF_ROUTE").to("CHAIN_TRACK", "TENANT_ACL_IN").steering()),
    ACCESS_GUARD(19, "Packets from an attachment: checks that the sender may use their source addresses.",
        matches(FAMILY, MAC, ARP, IPV4_SOURCE, IPV6_SOURCE, PROTOCOL, ICMP).leaves(Exit.CONTROLLER)
            .missesTo("ACCESS_LEARN").to("ND_GUARD")),
    ACCESS_LEARN(20, "Frames from an attachment: learns the MAC address of the host from its ARP.",
        matches(FAMILY, MAC, ARP, IPV4_SOURCE, IPV6_SOURCE, PROTOCOL, ICMP).learns("L2_HOSTS", "NEIGHBOURS")
            .missesTo("L2_LOOKUP").to("ND_LEARN", "ARP_REPLY")),
    ND_GUARD(21, "Neighbour discovery from an attachment: checks that the sender may use its address.",
        matches(FAMILY, IPV6_SOURCE, PROTOCOL, TTL, ICMP, DISCOVERY).missesTo("ND_LEARN")),
    ND_LEARN(22, "Neighbour discovery from an attachment: learns the MAC address of the host.",
        matches(FAMILY, MAC, IPV6_SOURCE, PROTOCOL, TTL, ICMP, DISCOVERY).learns("L2_HOSTS", "NEIGHBOURS")
            .missesTo("L2_LOOKUP").to("ND_REPLY")),
    ARP_REPLY(24, "Answers ARP requests for the gateways of the VRF.",
        matches(FAMILY, ARP).sets(MAC, ARP).missesTo("L2_LOOKUP").to("EGRESS")),
    ND_REPLY(26, "Turns a neighbour solicitation for a gateway of the VRF into an advertisement.",
        matches(FAMILY, MAC, IPV6_SOURCE, PROTOCOL, TTL, ICMP, DISCOVERY)
            .sets(MAC, IPV6_SOURCE, IPV6_DESTINATION, ICMP, DISCOVERY).missesTo("L2_LOOKUP").to("ND_ANSWER")),
    ND_ANSWER(28, "Sets the MAC address of the router in that advertisement, and returns it.",
        matches(FAMILY, PROTOCOL, ICMP, DISCOVERY).sets(MAC, DISCOVERY).to("EGRESS")),
    L2_LOOKUP(30, "Sends frames for the gateway to routing, and looks up the host of all others.",
        matches(FAMILY, MAC, PROTOCOL, TRANSPORT, ICMP).looksUp("L2_HOSTS").missesTo("L2_FORWARD")
            .to("GATEWAY", "DHCP_REQUEST", "IPV6_REQUEST")),
    L2_HOSTS(32, "Learned flows: the attachment of each MAC address.",
        matches(MAC).misses(Miss.NONE)),
    L2_FORWARD(34, "Forwards a frame to the host that was found, or to the whole broadcast domain.",
        matches(FAMILY, IPV6_SOURCE, PROTOCOL, FRAGMENT, TRANSPORT, ICMP).sets(VLAN).leaves(Exit.PORT).to("EGRESS")),
    GATEWAY(40, "Packets to route: limits pings, drops foreign sources, finds expired TTLs.",
        matches(FAMILY, IPV4_SOURCE, IPV4_DESTINATION, IPV6_SOURCE, IPV6_DESTINATION, PROTOCOL, TTL, TRANSPORT, ICMP)
            .sets(MAC, IPV4_DESTINATION, IPV6_DESTINATION)
            .to("GATEWAY_PING", "VRF_ROUTE", "ROUTING_ERROR", "EGRESS", "DHCP_REQUEST")),
    GATEWAY_PING(41, "Answers pings of gateways, within the limit of the tenant.",
        matches(FAMILY, PROTOCOL, ICMP)
            .sets(MAC, IPV4_SOURCE, IPV4_DESTINATION, IPV6_SOURCE, IPV6_DESTINATION, TTL, ICMP).to("EGRESS")),
    DHCP_REQUEST(42, "Sends packets for the DHCP server of the VRF to the controller, within the limit of the tenant.",
        matches().leaves(Exit.CONTROLLER)),
    IPV6_REQUEST(43, "Sends router solicitations and DHCPv6 requests to the controller, within the limit of the "
        + "tenant.",
        matches().leaves(Exit.CONTROLLER)),
    TENANT_ACL_IN(46, "Applies the ingress list of the tenant to packets from the backbone.",
        matches(LIST_ENTRY).to("TENANT_ACL_IN_DENIED", "TENANT_ACL_IN_TRACK", "VRF_ROUTE").steering()),
    TENANT_ACL_IN_DENIED(47, "Packets that the list denies: looks up their connection in conntrack.",
        matches(FAMILY).tracksTo("TENANT_ACL_IN_REPLY").steering()),
    TENANT_ACL_IN_TRACK(48, "Packets that the list permits: commits their connection to conntrack.",
        matches(FAMILY).tracksTo("VRF_ROUTE").steering()),
    TENANT_ACL_IN_REPLY(49, "Forwards replies to packets that the tenant may send, and errors about them.",
        matches(LIST_ENTRY, CONNTRACK).to("VRF_ROUTE").steering()),
    VRF_ROUTE(50, "Longest-prefix routing inside the VRF; decrements the TTL.",
        matches(FAMILY, IPV4_DESTINATION, IPV6_DESTINATION).sets(MAC, TTL).missesTo("ROUTING_ERROR")
            .to("TENANT_ACL", "CHAIN_OUT", "NEIGHBOUR_LOOKUP")),
    TENANT_ACL(54, "Applies the egress list of the tenant to packets to the backbone.",
        matches(LIST_ENTRY).to("TENANT_ACL_DENIED", "TENANT_ACL_TRACK", "CHAIN_OUT").steering()),
    TENANT_ACL_DENIED(55, "Packets that the list denies: looks up their connection in conntrack.",
        matches(FAMILY).tracksTo("TENANT_ACL_REPLY").steering()),
    TENANT_ACL_TRACK(56, "Packets that the list permits: commits their connection to conntrack.",
        matches(FAMILY).tracksTo("CHAIN_OUT").steering()),
    TENANT_ACL_REPLY(57, "Forwards replies to packets that the tenant may receive, and errors about them.",
        matches(LIST_ENTRY, CONNTRACK).to("CHAIN_OUT").steering()),
    CHAIN_OUT(60, "Packets to the backbone: the first function of the chain, or without one twice NAT of the "
        + "destination.",
        matches(LIST_ENTRY).sets(MAC, VLAN, IPV4_DESTINATION, SERVICE_HEADER).leaves(Exit.PORT).missesTo("NAT_MAP")
            .to("CHAIN_TRACK", "BACKBONE_ROUTE", "ROUTING_ERROR").steering()),
    NAT_MAP(62, "Looks up the mapping of an endpoint-independent subscriber.",
        matches(FAMILY, IPV4_SOURCE, PROTOCOL, FRAGMENT, TRANSPORT).looksUp("NAT_MAPPINGS").missesTo("NAT_OUT")
            .to("NAT_MAP_PORT")),
    NAT_MAP_PORT(63, "Uses the mapping if there is one; otherwise checks a first public port.",
        matches().looksUp("NAT_PORTS").missesTo("NAT_MAP_OTHER_PORT").to("NAT_MAP_LEARN")),
    NAT_MAP_OTHER_PORT(64, "Uses that port if it is free; otherwise checks a second one.",
        matches(FAMILY, IPV4_SOURCE, PROTOCOL, FRAGMENT).looksUp("NAT_PORTS").missesTo("NAT_MAP_LEARN")
            .to("NAT_MAP_FREE")),
    NAT_MAP_FREE(65, "Uses the second port if it is free; otherwise leaves the translation to conntrack.",
        matches().missesTo("NAT_MAP_LEARN").to("NAT_OUT")),
    NAT_MAP_LEARN(66, "Learns the reverse direction of the mapping, or keeps it alive.",
        matches(FAMILY, PROTOCOL, FRAGMENT).learns("NAT_PORTS").to("NAT_MAP_OUT")),
    NAT_MAP_OUT(67, "Translates by the mapping and learns it; leaves the packet to conntrack if there are too many "
        + "mappings.",
        matches(FAMILY, PROTOCOL, FRAGMENT).sets(IPV4_SOURCE, TRANSPORT).learns("NAT_MAPPINGS").missesTo("NAT_OUT")
            .to("BACKBONE_ROUTE")),
    NAT_MAPPINGS(68, "Learned flows: the public port of each address and port inside.",
        matches(FAMILY, IPV4_SOURCE, PROTOCOL, TRANSPORT).misses(Miss.NONE)),
    NAT_PORTS(69, "Learned flows: the address and port inside of each public address and port.",
        matches().misses(Miss.NONE)),
    NAT_OUT(70, "Packets to the backbone: looks up the session that translates them.",
        matches(FAMILY, IPV4_SOURCE, PROTOCOL, FRAGMENT, TCP_FLAGS).sets(IPV4_SOURCE).looksUp("NAT_OPEN")
            .missesTo("NAT_OUT_KNOWN").to("BACKBONE_ROUTE")),
    NAT_OUT_KNOWN(71, "Translates by the session that was found; otherwise sends the packet to conntrack.",
        matches(FAMILY, PROTOCOL, FRAGMENT, TRANSPORT, TCP_FLAGS).looksUp("NAT_SAMPLE").tracksTo("NAT_OUT_CHECK")
            .missesTo("NAT_TRANSLATE").to("BACKBONE_ROUTE")),
    NAT_OPEN(72, "Flows of the node's agent: VRFs whose connections have sessions.",
        matches().looksUp("NAT_SESSIONS").misses(Miss.NONE)),
    NAT_SAMPLE(73, "Samples tracked packets for the node's agent.",
        matches().misses(Miss.END)),
    NAT_SESSIONS(74, "Learned flows: the translation of each busy connection.",
        matches(FAMILY, IPV4_SOURCE, IPV4_DESTINATION, PROTOCOL, TRANSPORT)
            .sets(IPV4_SOURCE, IPV4_DESTINATION, TRANSPORT).misses(Miss.NONE)),
    NAT_TRANSLATE(75, "Translates the source to the public address of the tenant.",
        matches(FAMILY, IPV4_SOURCE, PROTOCOL, TRANSPORT).sets(CONNTRACK).tracksTo("NAT_OUT_CHECK", "NAT_BEGIN")
            .leaves(Exit.CONTROLLER)),
    /** A packet comes again for each further block of its subscriber, which {@link Register#BLOCK} ends. */
    NAT_OUT_CHECK(76, "Forwards only translated packets to the backbone; learns sessions from copies.",
        matches(FAMILY, IPV4_SOURCE, PROTOCOL, TRANSPORT, CONNTRACK).sets(CONNTRACK).tracksTo("NAT_OUT_CHECK")
            .learns("NAT_SESSIONS").leaves(Exit.CONTROLLER).to("BACKBONE_ROUTE")),
    /**
     * A packet that begins a connection goes back to be translated; {@link Register#LOOKED_UP} keeps it from coming
     * again. One of a known connection is translated, and goes to the table of such.
     */
    NAT_BEGIN(78, "Limits the new connections a second of a tenant; packets of known ones go on.",
        matches(CONNTRACK).looksUp("NAT_TRANSLATE", "NAT_OUT_CHECK").misses(Miss.END)),
    /**
     * The hairpin looks BACKBONE_IN up, back to where packets from the backbone begin. They do not come a second time:
     * what comes from the backbone does not go back there.
     */
    BACKBONE_ROUTE(80, "Longest-prefix routing to the transit gateways; packets to a public address of this node "
        + "continue in backbone_in.",
        matches(FAMILY, IPV4_DESTINATION, IPV6_DESTINATION).sets(MAC, CONNTRACK).looksUp("BACKBONE_IN")
            .missesTo("ROUTING_ERROR").to("BACKBONE_ACL")),
    BACKBONE_ACL(82, "Applies the egress list of the uplink.",
        matches(LIST_ENTRY).missesTo("NEIGHBOUR_LOOKUP").steering()),
    NEIGHBOUR_LOOKUP(90, "Looks up the MAC address of the next hop.",
        matches(FAMILY).looksUp("NEIGHBOURS").missesTo("NEIGHBOUR_FOUND").to("ROUTING_ERROR")),
    NEIGHBOURS(92, "Learned flows: MAC address and attachment of each next hop.",
        matches().sets(MAC).misses(Miss.NONE)),
    NEIGHBOUR_FOUND(94, "Forwards to the next hop that was found; the controller resolves an unknown one.",
        matches().leaves(Exit.CONTROLLER).to("EGRESS").misses(Miss.END)),
    ROUTING_ERROR(96, "Sends packets that need an ICMP error to the controller, within the limit of the tenant.",
        matches(FAMILY, MAC, IPV4_DESTINATION, PROTOCOL, FRAGMENT, ICMP).leaves(Exit.CONTROLLER)),
    CHAIN_BRANCH(97, "Packets to a chain with a branch, after conntrack: reads what the connection keeps.",
        matches().to("CHAIN_SIDE").steering()),
    CHAIN_SIDE(98, "Selects the last function of the chain, or of the branch if the connection is in the branch.",
        matches().sets(MAC, VLAN, SERVICE_HEADER).leaves(Exit.PORT).to("CHAIN_TRACK").steering()),
    EGRESS(100, "Tags the frame and sends it to its attachment or uplink.",
        matches(PORT).sets(VLAN).leaves(Exit.PORT)),
    CHAIN_TRACK(101, "Packets to a function with instances: looks up their connection in conntrack.",
        matches(FAMILY).tracksTo("CHAIN_KNOWN").steering()),
    CHAIN_KNOWN(102, "Reads the instance that the connection keeps.",
        matches().to("CHAIN_INSTANCE").steering()),
    CHAIN_INSTANCE(104, "Uses that instance if it works; otherwise the connection gets another one.",
        matches(FAMILY, PROTOCOL, FRAGMENT).to("CHAIN_PICK", "CHAIN_ENTER").steering()),
    CHAIN_PICK(106, "Selects the instance of a new connection.",
        matches().to("CHAIN_KEEP").steering()),
    CHAIN_KEEP(108, "Stores the instance with the connection.",
        matches(FAMILY).sets(CONNTRACK).looksUp("FRAGMENTS").to("CHAIN_ENTER").steering()),
    CHAIN_ENTER(110, "Tags the frame with its VRF and sends it to the instance.",
        matches().sets(MAC, VLAN, SERVICE_HEADER).leaves(Exit.PORT).steering()),
    /** Each table that tracks packets looks it up first. */
    FRAGMENTS(111, "Before each pass through conntrack: limits the fragments a second of a tenant.",
        matches(FAMILY, FRAGMENT).misses(Miss.END)),
    OWED_FLUSHES(112, "No packet comes here. Each flow names connections that the switch has still to forget.",
        matches().misses(Miss.NONE)),
    /**
     * Open vSwitch 3.1 gives fragments that it kept of one tenant to the next packet that passes conntrack, whichever
     * tenant's (ipf_send_completed_frags and ipf_send_expired_frags, lib/ipf.c). They have the registers of that packet
     * and the zone of their own.
     */
    TRACKED(113, "After each pass through conntrack: drops packets that were not tracked in the zone of that pass.",
        matches(CONNTRACK).to("AFTER_TRACKED")),
    /** It leads back to the tables that sent the packet through conntrack, or to those behind them. */
    AFTER_TRACKED(114, "Packets of that zone: go on in the table for which they were tracked.",
        matches().looksUp("NAT_IN_CHECK", "NAT_IN_NEW", "NAT_OUT_CHECK", "NAT_BEGIN", "TENANT_ACL_IN_REPLY",
            "TENANT_ACL_REPLY", "VRF_ROUTE", "CHAIN_OUT", "CHAIN_BRANCH", "CHAIN_KNOWN"));

    private final int number;
    private final String text = name().toLowerCase(Locale.ROOT);
    private final String purpose;
    private final Terms terms;

    Table(final int number, final String purpose, final Terms terms) {
        this.number = number;
        this.purpose = purpose;
        this.terms = terms;
    }

    /** OpenFlow table number, 0..254. */
    public int number() {
        return number;
    }

    /** One sentence for the pipeline document. */
    public String purpose() {
        return purpose;
    }

    /** The contract of its flows, as stated above; {@link Contract} tells it to others. */
    Terms terms() {
        return terms;
    }

    /**
     * Whether no plan has flows of this table: the switch itself writes it, with learn actions, or the agent of the
     * node, or the controller as it changes the switch. It has no flow for the rest.
     */
    public boolean isLearned() {
        return terms.miss() == Miss.NONE;
    }

    /**
     * Whether flows of this table lead packets through chains, or past lists. A cached flow that is older than a change
     * of such a table may let packets go where they must not go any more (ADR 26).
     */
    public boolean steers() {
        return terms.steers();
    }

    /** Name on the switch and in golden files. */
    public String text() {
        return text;
    }

    /** The table with an OpenFlow number, if it is one of ours. */
    public static Optional<Table> ofNumber(final int number) {
        return Arrays.stream(values()).filter(table -> table.number == number).findFirst();
    }
}
