// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.ErrorKind;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;

/** Packets that a router, of a VRF or of the backbone, does not forward. */
final class NotForwarded {
    private NotForwarded() {
        // Only functions.
    }

    /** Ends a flow with what a router has to tell the sender of its packets. */
    static void tell(final FlowSink.Draft flow, final ErrorKind kind) {
        tell(flow, kind, List.of());
    }

    /** The same, with more actions. */
    static void tell(final FlowSink.Draft flow, final ErrorKind kind, final List<Action> more) {
        flow.then(Register.ERROR_KIND.load(kind.number())).then(more).go(Table.ROUTING_ERROR);
    }

    /** Expired IPv4 packets, whose sender is told (RFC 1812, section 5.3.1). */
    static void ttl(final FlowSink sink, final Table table) {
        for (int ttl = 0; ttl <= 1; ttl++) {
            tell(sink.flow(table, Priority.HIGH, "TTL " + ttl + " is used up").ipv4().when(MatchField.IP_TTL, ttl),
                ErrorKind.TIME_EXCEEDED);
        }
    }

    /** Expired IPv6 packets, likewise (RFC 4443, section 3.3). */
    static void hopLimit(final FlowSink sink, final Table table) {
        for (int hops = 0; hops <= 1; hops++) {
            tell(sink.flow(table, Priority.HIGH, "hop limit " + hops + " is used up").ipv6()
                .when(MatchField.IP_TTL, hops), ErrorKind.TIME_EXCEEDED);
        }
    }

    /** IPv6 to destinations of one link (RFC 4291, section 2.5.6), and to groups, which need a multicast router. */
    static void scope(final FlowSink sink, final Table table) {
        for (final Prefix6 prefix : List.of(Prefix6.LINK_LOCAL, Prefix6.MULTICAST)) {
            sink.flow(table, Priority.GUARD, "to " + prefix + ", which is not forwarded").ipv6()
                .when(MatchField.IPV6_DST, prefix).drop();
        }
    }
}
