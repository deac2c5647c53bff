// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;

/**
 * Packets that Open vSwitch does not read, and therefore does not rewrite. It writes neither addresses nor a TTL into a
 * packet whose protocol is 0 (commit_set_nw_action, lib/odp-util.c, 3.1), whatever a flow says: such a packet would
 * leave with the address of its sender inside. Protocol 0 has IPv4 with the number 0 in its header. So has all that is
 * not read (miniflow_extract, lib/flow.c, 3.1), because the packet ends before its headers do, or its lengths
 * contradict each other: addresses, TTL and ports are 0 there as well, so nothing else tells it from a true packet.
 *
 * <p>It is dropped where frames come in, before any table that a flow could lead it past. The cached flow of each
 * packet has the protocol after that, so one of such a packet is never used for another one.
 */
final class Unreadable {
    private static final int NO_PROTOCOL = 0;

    private Unreadable() {
        // Only functions.
    }

    /** Drops them before all else that is in a table. */
    static void drop(final FlowSink sink, final Table table) {
        sink.flow(table, Priority.FIRST, "IPv4 with protocol 0, or with lengths that contradict each other").ipv4()
            .when(MatchField.IP_PROTO, NO_PROTOCOL).drop();
        sink.flow(table, Priority.FIRST, "IPv6 that ends before its headers do").ipv6()
            .when(MatchField.IP_PROTO, NO_PROTOCOL).drop();
    }
}
