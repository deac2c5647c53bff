// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;

/** The operator's view of the edge. Methods may block while switches are read; safe for all threads. */
public interface Operations {
    /**
     * How a switch compares with its plan. {@code missing}, {@code excess} and {@code wrong} count meters too.
     *
     * @param planned flows
     * @param installed planned flows the switch has
     */
    record FlowCounts(int planned, int installed, int missing, int excess, int wrong) { }

    /**
     * A node; {@code dpdk} is the DPDK version, empty when it does not run.
     *
     * @param foundFunctions names of functions that run there and that no port names, as the node says; sorted
     * @param repairs how often the switch was repaired since the controller started
     * @param lastRepair when that was last, ISO 8601 in UTC; empty if never
     * @param lastCompared when all flows had last been compared without being asked for, likewise
     * @param warning why it may not do all that is configured, and what to do; empty if there is nothing to say
     */
    record NodeStatus(String name, boolean connected, String datapath, String dpdk, FlowCounts flows,
            List<String> foundFunctions, long repairs, String lastRepair, String lastCompared, String warning) { }

    /**
     * What the agent of a node does for a tenant.
     *
     * @param sessions connections that are tracked; 0 when they are not counted
     * @param sessionLimit most of them that the tenant may have here; 0 for no limit
     * @param sessionLimitSet the limit the switch has, as the agent says; 0 for none
     * @param resolver {@code ok}, or what is wrong; {@code not reported} when there ought to be one and the agent says
     *     nothing; empty when there is none
     */
    record AgentStatus(String node, long sessions, long sessionLimit, long sessionLimitSet, String resolver) { }

    /**
     * A tenant; {@code publicAddress} and {@code chain} are empty without.
     *
     * @param publicPrefixes its other public addresses, each as {@code port-block 10.0.0.0/24 198.51.100.0/28}
     * @param agents for each node where the agent has something to do for the tenant
     */
    record TenantStatus(String name, int vrf, List<String> attachments, String publicAddress,
            List<String> publicPrefixes, String chain, String state, List<AgentStatus> agents) { }

    /**
     * A chain and how many packets were sent into its functions.
     *
     * @param branch functions behind the second output of one of them
     */
    record ChainStatus(String name, List<String> functions, List<String> branch, long packets) { }

    /**
     * A function and whether it works.
     *
     * @param instances in the order of the configuration; a function without a list of them is one, of its name
     * @param canaries new versions: that of now first, then those that were judged, the newest first
     */
    record FunctionStatus(String name, String state, List<InstanceStatus> instances, List<CanaryStatus> canaries) { }

    /**
     * A new version of a function that some of its instances run, or ran.
     *
     * @param state waiting, judging, forward or back
     * @param configured whether the function names it now, so that new connections go by its state
     * @param secondsLeft until it may be judged good, while it is judged
     * @param reason for the state, in words
     * @param decided when it was judged, ISO 8601 in UTC; empty before
     * @param measuredSeconds how long it was measured
     */
    record CanaryStatus(String version, String state, boolean configured, long secondsLeft, String reason,
            String decided, long measuredSeconds, CanarySide old, CanarySide canary) { }

    /**
     * What was measured of the old version, or of the new one.
     *
     * @param packetsIn packets of tenants that were sent into the instances
     * @param packetsOut packets that came out, without probes
     * @param droppedPercent of the packets that went in
     * @param probes those that were answered or lost
     * @param lost those without an answer within a second
     * @param medianMicros of the round trips; 0 when there was none
     * @param highMicros 99 of 100 took no longer; 0 when there was none
     */
    record CanarySide(List<String> instances, long packetsIn, long packetsOut, double droppedPercent, long probes,
            long lost, double lossPercent, long medianMicros, long highMicros) { }

    /**
     * An instance of a function.
     *
     * @param process what the node says of the process that it has to run; {@code not reported} when it says nothing;
     *     empty of an instance that is started by hand
     * @param packetsIn how many packets were sent into it, both ways
     * @param packetsOut how many came out of it, its probes included
     * @param probes of instances that are probed
     */
    record InstanceStatus(String name, String state, String process, long packetsIn, long packetsOut,
            Optional<ProbeStatus> probes) { }

    /**
     * What the last hundred probes through an instance told.
     *
     * @param sent how many there were, those under way left out
     * @param lost how many of them had no answer within a second
     * @param meanMicros of the round trips, through the controller both ways; 0 when there was none
     * @param mostMicros the longest one
     */
    record ProbeStatus(int sent, int lost, long meanMicros, long mostMicros) { }

    /**
     * This controller.
     *
     * @param icmpErrors packets of which a router may have to tell the sender, by what became of them, since the start
     * @param packetIns packets that switches sent to the controller, by the service that handles them, since the start
     */
    record ControllerStatus(String url, String version, long uptimeSeconds, SortedMap<String, Long> icmpErrors,
            SortedMap<String, PacketInCount> packetIns) { }

    /**
     * What a service did with packets that switches sent to the controller.
     *
     * @param taken answered, or queued to be answered
     * @param ignored well-formed and without an answer
     * @param malformed those that cannot be read
     * @param failed those on which the service failed, which is a defect of the controller
     */
    record PacketInCount(long taken, long ignored, long malformed, long failed) { }

    /** A peer that says it is a node and is not believed. */
    record RefusedNode(String name, String address, String reason) { }

    /** Everything at a glance. */
    record Status(List<NodeStatus> nodes, List<RefusedNode> refused, List<TenantStatus> tenants,
            List<ChainStatus> chains, List<FunctionStatus> functions, ControllerStatus controller) { }

    /** A flow or meter that is not as planned; {@code kind} is missing, excess or wrong. */
    record Difference(String kind, String flow) { }

    /** The comparison of one node. */
    record Verification(String node, boolean connected, FlowCounts flows, List<Difference> differences) { }

    /** What a resync changed on one node. */
    record Resync(String node, int added, int removed) { }

    /**
     * How far a node is with what was committed before the question.
     *
     * @param reason what it waits for, or why it failed, for people; empty when there is nothing to say
     */
    record Progress(State state, String reason) {
        /** Done. */
        public static final Progress APPLIED = new Progress(State.APPLIED, "");
        /** The switch has not confirmed everything. */
        public static final Progress NOT_YET = new Progress(State.NOT_YET, "the switch has not confirmed the changes");
        /** The switch is away. */
        public static final Progress NOT_CONNECTED = new Progress(State.NOT_CONNECTED, "");

        /** In one word; {@code FAILED} if switch or agent have tried in vain. */
        public enum State { APPLIED, NOT_YET, NOT_CONNECTED, FAILED }

        public Progress {
            requireNonNull(state);
            requireNonNull(reason);
        }
    }

    /** A flow of a switch with its counters and what it is for; {@code tenant} is empty for flows of the node. */
    record FlowLine(String node, String table, String label, String tenant, boolean drop, long packets, long bytes,
            String text) { }

    /**
     * A host that a switch has learned.
     *
     * @param attachment its name, or {@code port/vlan} of one that is not configured any more
     * @param addresses those that the switch has learned, IPv4 and IPv6, sorted; none of a host that the switch has
     *     only bridged
     * @param ageSeconds since it was learned there
     */
    record LearnedHost(String node, String attachment, String mac, List<String> addresses, long ageSeconds) {
        public LearnedHost {
            addresses = List.copyOf(addresses);
        }
    }

    /**
     * A limit of what a tenant may send, which a meter of a switch keeps, and what it has counted since it was made.
     *
     * @param tenant empty for a limit of all tenants of the node together
     * @param meter what is limited
     * @param unit {@code packets} or {@code kilobits}, of 1000 bits
     * @param rate units a second
     * @param burst units that may come at once after a silence
     */
    record Limit(String node, String tenant, String meter, String unit, long rate, long burst, long passedPackets,
            long droppedPackets, long droppedBytes) { }

    /** How many addresses a pool has, and how many tenants have one. */
    record PoolUsage(String name, long addresses, long used, List<Drained> drain) { }

    /** Addresses of which nobody new gets one, and the tenants that still have one. */
    record Drained(String prefix, List<String> tenants) { }

    /** Blocks of one subscriber. */
    record Used(String subscriber, int blocks) { }

    /**
     * Blocks of one public address.
     *
     * @param emptyInSeconds estimate of when nobody has one; nothing when it is not drained, or nobody has left yet
     */
    record AddressUsage(String address, int blocks, boolean draining, OptionalLong emptyInSeconds) { }

    /**
     * Blocks of one entry of a tenant.
     *
     * @param subscribers those that have a block
     * @param blocks all there are
     * @param used those that subscribers have
     * @param addresses each public address
     * @param top subscribers with most blocks, ten at most
     */
    record BlockUsage(String tenant, String inside, String outside, int subscribers, int blocks, int used,
            List<AddressUsage> addresses, List<Used> top) { }

    /** What is used of the public addresses. */
    record NatUsage(List<PoolUsage> pools, List<BlockUsage> portBlocks) { }

    /** A change of public addresses that is thought of. */
    sealed interface PoolChange {
        /** A pool would have these prefixes. */
        record OfPool(String pool, List<String> prefixes) implements PoolChange { }

        /** An entry of a tenant's port-block would have another public prefix, or block size, or both. */
        record OfPortBlock(String tenant, String inside, Optional<String> outside, Optional<Integer> blockSize)
                implements PoolChange { }
    }

    /**
     * Somebody who loses an address or ports.
     *
     * @param subscriber empty when it is the tenant, with the address of its source NAT
     * @param to empty when there is none, or one is given when it is needed
     * @param blocks of a subscriber
     * @param sessions connections that have flows of their own
     */
    record Moved(String tenant, String subscriber, String from, String to, int blocks, int sessions) { }

    /** What a change would do. */
    record NatPreview(List<Moved> moves) { }

    /**
     * An address that the DHCP server of a tenant has given, or remembers.
     *
     * @param state bound, free or declined
     * @param client who has it: hexadecimal client identifier, or hardware type and MAC address
     * @param attachment where it is; empty behind a relay agent
     * @param hostName empty if it told none
     * @param expires end of the lease, ISO 8601 in UTC; of a free one when it became free, of a declined one when it
     *     may be given again
     */
    record LeaseLine(String tenant, String address, String state, String mac, String client, String attachment,
            String hostName, String expires) { }

    /**
     * How often the DHCP server of a tenant was sent something and did something, since the controller started.
     *
     * @param message what was asked, and the answer or why there was none
     */
    record DhcpCount(String tenant, String message, long count) { }

    /**
     * A packet as a host of a tenant sends it to the backbone.
     *
     * @param protocol tcp, udp or icmp, which is an echo request and has the ports 0
     */
    record TraceQuestion(String tenant, String source, String destination, String protocol, int sourcePort,
            int destinationPort) { }

    /**
     * A function of a chain.
     *
     * @param instance the one that the packet comes to; empty when it comes to none
     * @param portTo by which it comes there; empty when it does not
     * @param portFrom by which it comes back; empty when it does not
     */
    record TraceHop(String function, String instance, String reason, String portTo, String portFrom) { }

    /**
     * One direction, as planned.
     *
     * @param chain empty for none
     * @param rule that says so; empty when the tenant's own chain is meant
     */
    record TraceWay(String chain, String rule, List<TraceHop> hops) { }

    /** Whether the switch does what is planned. */
    enum Verdict { AGREES, DIFFERS, NOT_CHECKED }

    /**
     * The way of a packet and of its answer.
     *
     * @param reason what differs, what was not checked and why; empty if there is nothing to say
     */
    record TraceReport(String node, TraceWay outbound, TraceWay inbound, Verdict verdict, String reason) { }

    /**
     * Names of what is configured.
     *
     * @param nodes names of nodes
     * @param tenants names of tenants
     * @param functions names of functions
     */
    record Names(SortedSet<String> nodes, SortedSet<String> tenants, SortedSet<String> functions) { }

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
     * Reads switches again and mends what differs.
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
