// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.penstock.base.tls.PeerTls;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.registry.Table;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * All switches that are connected to this controller. Safe for all threads; nothing here blocks. What was asked of a
 * switch fails with {@link SwitchException} as soon as the switch disconnects.
 */
public interface OpenFlowSouthbound extends FlowSender {
    /** Stops a listener. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    /** In-port of a packet-out of the controller's own. */
    int NO_PORT = 0;

    /**
     * Has OpenFlowPlugin take nodes as these certificates say. Without it no switch can connect by TLS.
     *
     * @return ends it
     */
    Runnable believe(PeerTls certificates);

    /**
     * Begins to use the switches that are connected to this member, and those that connect: for an engine. Each takes
     * orders of this connection alone, unless it has taken a greater epoch.
     *
     * @param epoch of the mastership of the engine
     * @param admission asked of each connection by TLS; those in plain text have no certificate to be judged by
     * @param mayUse whether a switch may be used yet, asked when it connects and by {@link #reconsider}; must not block
     */
    void lead(long epoch, SwitchAdmission admission, Predicate<SwitchId> mayUse);

    /** Uses a switch that is connected, if it may be used now and was not used before. */
    void reconsider(SwitchId id);

    /**
     * Takes connections of switches, which take no orders by them, so that they are there when this member leads.
     *
     * @param epoch of the mastership of another member, as far as it is known
     * @param admission as for {@link #lead}
     */
    void standBy(long epoch, SwitchAdmission admission);

    /** Ends the use of all switches, which stay connected. Returns when the listeners have been told. */
    void rest();

    /** The switches that can be used now. */
    Set<SwitchId> connected();

    /**
     * Reads all flows with their counters; costs the switch and us time in proportion to their number. A member that
     * stands by may do so too.
     */
    CompletableFuture<FlowDump> readFlows(SwitchId source);

    /**
     * Reads the flows whose cookies have these values in the bits of the mask. With all bits in the mask the switch
     * finds them by the cookie, and looks at no other flow (collect_rules_loose, ofproto/ofproto.c, 3.1).
     */
    CompletableFuture<FlowDump> readFlows(SwitchId source, long cookie, long cookieMask);

    /**
     * Reads the flows of one table.
     *
     * @param table OpenFlow table number, 0..253; one that is not ours has the flows of other programs
     */
    CompletableFuture<FlowDump> readTable(SwitchId source, int table);

    /** Reads the flows of one table of ours that have a cookie; the switch finds them by the cookie. */
    CompletableFuture<FlowDump> readTable(SwitchId source, Table table, long cookie);

    /**
     * {@inheritDoc}
     *
     * <p>All or nothing, in one ONF bundle. Packets meet either all old or all new flows. Meters that the flows name
     * have to be there.
     */
    @Override
    CompletableFuture<Void> apply(SwitchId target, FlowChanges changes);

    /**
     * Reads all meters by their id, in ascending order; nothing for one that no {@link MeterSpec} can be. A member that
     * stands by may do so too.
     */
    CompletableFuture<Map<Integer, Optional<MeterSpec>>> readMeters(SwitchId source);

    /** Reads what the meters have counted. */
    CompletableFuture<List<MeterCount>> readMeterCounts(SwitchId source);

    /** Reads what some meters have counted, in one question for each; those that are not there are left out. */
    CompletableFuture<List<MeterCount>> readMeterCounts(SwitchId source, Set<Integer> ids);

    /**
     * Makes meters; one that is there gets the new rate instead, and counts from zero. Not atomic: when the switch
     * refuses one, others may be there.
     */
    CompletableFuture<Void> setMeters(SwitchId target, Collection<MeterSpec> meters);

    /** Deletes meters by their id, and with them all flows that name them. One that is not there is no error. */
    CompletableFuture<Void> deleteMeters(SwitchId target, Set<Integer> ids);

    /**
     * Lets a switch treat a frame as if it had come in at a port.
     *
     * @param inPort the port, or {@link #NO_PORT}
     * @param actions what to do with it; {@code Resubmit} sends it through the tables
     * @return done when the switch has taken it, which may be half a second later; fails with {@link SwitchException}
     */
    CompletableFuture<Void> packetOut(SwitchId target, int inPort, List<Action> actions, byte[] frame);

    /**
     * Makes a switch forget connections, and all sessions of their zones, which come back from connections that are
     * left; done when it has.
     *
     * @param markers flows that are deleted once it has confirmed that, and not before
     */
    CompletableFuture<Void> flush(SwitchId target, Set<TrackedConnections> connections, List<FlowSpec.Key> markers);

    /** Done when the switch has worked off all that was sent to it before. */
    CompletableFuture<Void> barrier(SwitchId target);

    /** Adds a listener and tells it of all switches that are connected. */
    Registration listen(ConnectionListener listener);

    /** Adds a listener and tells it of all ports that are there. */
    Registration listen(PortListener listener);

    /** Adds a listener. */
    Registration listen(PacketInListener listener);
}
