// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One connected and announced node, until {@link OvsdbListener#nodeDisconnected}. Safe for use by any thread. */
public interface NodeSession {
    /** What the node says about itself now. */
    NodeAnnouncement announcement();

    /**
     * Brings the node's database to the specification, in one OVSDB transaction; sends nothing if it is so already.
     * If another writer interferes, reads and tries again, five times in all. Calls on one session run one after the
     * other, in their order. Success means the database holds it; whether the switch could do it is told by
     * {@link OvsdbListener#portStatesChanged}, and a switch that is down catches up when it starts.
     *
     * @return what was done; or an {@link OvsdbException} if the node refused, did not answer or is gone, in which case
     *     the transaction was either done as a whole or not at all. Stages that follow run on a thread of this module
     *     and must not block it.
     */
    CompletableFuture<ApplyResult> apply(BridgeSpec spec);

    /**
     * The same as {@link #apply} for a database that this session has brought to {@code before}, but without looking
     * for what others have changed since where only zones differ: so its cost does not grow with their number.
     */
    CompletableFuture<ApplyResult> change(BridgeSpec before, BridgeSpec after);

    /**
     * Reads what the node last wrote about its orders, from the database and not from who carries them out there. It
     * is not followed: counts change all the time, and the rows hold the orders too. Does not wait for {@link #apply}.
     *
     * @return the report; or an {@link OvsdbException} as of {@link #apply}
     */
    CompletableFuture<NodeReport> report();

    /**
     * Reads what the agent last wrote of one conntrack zone: of many zones only the list is read beside it.
     *
     * @return nothing when there is no such zone, or the agent wrote nothing of it; or an {@link OvsdbException} as of
     *     {@link #apply}
     */
    CompletableFuture<Optional<ZoneReport>> report(int zone);

    /**
     * Reads what the switch has counted of the bridge's ports, in one narrow question to the database. The switch
     * writes it there every five seconds. Does not wait for {@link #apply}.
     *
     * @param port only this one if not empty
     * @return the ports by name, without the local port, and none if there is no such port; or an
     *     {@link OvsdbException} as of {@link #apply}
     */
    CompletableFuture<List<PortStatistics>> portStatistics(Optional<String> port);

    /**
     * Has the agent of the node trace a packet through the switch. Orders on one session are carried out one after the
     * other; the order is in the database as long as that takes. Does not wait for {@link #apply}.
     *
     * @param order a JSON object, as the agent wants it
     * @param limit how long to wait for the answer, once the orders before are done
     * @return the answer, a JSON object; or an {@link OvsdbException} as of {@link #apply}, also when the agent does
     *     not answer in time, or too many orders wait
     */
    CompletableFuture<String> trace(String order, Duration limit);

    /**
     * Has the agent of the node throw away the flows that the switch has cached, some of which may have actions of
     * tables that are gone. It does so once for orders that come within a second.
     *
     * @return done when the agent has done it; or an {@link OvsdbException} as of {@link #apply}, or a
     *     {@link java.util.concurrent.TimeoutException} after five seconds, when the order stays
     */
    CompletableFuture<Void> dropCachedFlows();

    /**
     * Asks the agent of the node whether it has carried out all orders that were written before, and waits until it
     * says so.
     *
     * @param limit how long to wait
     * @return the report of an agent that is done, or the last one before the limit; or an {@link OvsdbException} as of
     *     {@link #apply}
     */
    CompletableFuture<OrdersReport> carriedOut(Duration limit);
}
