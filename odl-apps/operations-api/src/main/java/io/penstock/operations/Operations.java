// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;

/** The operator's view of the edge. Methods may block while switches are read; safe for all threads. */
public interface Operations {
    /** The names of what is configured. Asks no node. */
    Names names();

    /**
     * All tenants, or one. Reads the databases of nodes and no switch.
     *
     * @throws IllegalArgumentException when there is no such tenant
     */
    List<TenantStatus> tenants(Optional<String> tenant);

    /** Everything at a glance. */
    Status status();

    /**
     * Tells the way of a packet and its answer through the chains of a tenant, and asks the switch whether it is so.
     * Changes nothing and does not block; complete after some seconds at the latest, unless many ask at once.
     *
     * @throws IllegalArgumentException when a field will not do; the message begins with its name in the model
     */
    CompletableFuture<TraceReport> chainTrace(TraceQuestion question);

    /**
     * Finds out why packets of a tenant do not pass. Reads the switches and databases of its nodes, and has addresses
     * asked for by ARP that no switch has learned. Changes nothing.
     *
     * @throws IllegalArgumentException when a field will not do; the message begins with its name in the model
     */
    WhyReport why(WhyQuestion question);

    /** What is used of the public addresses, and who uses most; asks no switch. */
    NatUsage natUsage();

    /**
     * Tells who would move if public addresses were changed, and changes nothing. Reads the switches.
     *
     * @throws IllegalArgumentException when the change would be refused, with the leaf and the rule
     */
    NatPreview natPreview(PoolChange change);

    /**
     * Compares switches with their plans and changes nothing.
     *
     * @param node one node, or all
     * @throws IllegalArgumentException when there is no such node
     */
    List<Verification> verify(Optional<String> node);

    /**
     * Reads switches again and repairs what differs.
     *
     * @throws IllegalArgumentException when there is no such node
     */
    List<Resync> resync(Optional<String> node);

    /**
     * Flows with their counters. Of one tenant, its nodes are asked for its flows alone.
     *
     * @param dropsOnly whether those that drop are wanted alone
     * @throws IllegalArgumentException when there is no such node or tenant
     */
    List<FlowLine> flows(Optional<String> node, Optional<String> tenant, boolean dropsOnly);

    /**
     * Hosts of a tenant that switches have learned and not forgotten, by node, attachment and MAC address. Its nodes
     * are asked for its hosts alone; those that are not connected are left out.
     *
     * @throws IllegalArgumentException when there is no such tenant
     */
    List<LearnedHost> learnedHosts(String tenant);

    /**
     * The place where packets of a tenant are captured. Changes nothing.
     *
     * @param attachment its name; empty for the only one
     * @throws IllegalArgumentException when there is no such tenant or attachment, or no name and several attachments
     */
    CapturePlace capturePlace(String tenant, Optional<String> attachment);

    /**
     * Ports of a node with what its switch has counted of them, by name. Asks the node's database.
     *
     * @param port one port, or all
     * @throws IllegalArgumentException when there is no such node or port, or the node is not connected
     */
    List<PortLine> portStatistics(String node, Optional<String> port);

    /**
     * Limits of tenants with what passed and what was dropped, of nodes that are connected. Reads the switches.
     *
     * @throws IllegalArgumentException when there is no such node or tenant
     */
    List<Limit> limits(Optional<String> node, Optional<String> tenant);

    /**
     * Leases of DHCP servers in the order of their addresses; asks no switch.
     *
     * @throws IllegalArgumentException when there is no such tenant
     */
    List<LeaseLine> leases(Optional<String> tenant);

    /**
     * What became of the messages to DHCP servers; asks no switch.
     *
     * @throws IllegalArgumentException when there is no such tenant
     */
    List<DhcpCount> dhcpMessages(Optional<String> tenant);

    /**
     * Ends a lease, or lets an address that was declined be given again, and waits until that is stored. The host is
     * not told.
     *
     * @return the lease as it was
     * @throws IllegalArgumentException when there is no such lease, or the address is none
     */
    LeaseLine releaseLease(String tenant, String address);

    /**
     * Waits until switches have confirmed everything that was committed before this call; reads no flows. Does not
     * block.
     *
     * @return progress by node, complete when every one is {@link Progress#APPLIED} or cannot become so, or at the
     *     time limit
     * @throws IllegalArgumentException when there is no such node
     */
    CompletableFuture<SortedMap<String, Progress>> applied(Optional<String> node, Duration limit);
}
