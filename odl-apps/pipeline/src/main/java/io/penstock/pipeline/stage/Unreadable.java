// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;
import java.util.List;

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
    private static final int NO_PORT = 0;

    /** EtherTypes of tags. The switch reads one tag, and nothing behind a second one. */
    private static final List<Integer> TAGS = List.of(0x8100, 0x88a8);

    /** Protocols whose checksums Open vSwitch completes, with the fields of their ports. */
    private record Transport(String name, int protocol, MatchField from, MatchField to) { }

    private static final List<Transport> TRANSPORTS = List.of(
        new Transport("TCP", IpProtocol.TCP, MatchField.TCP_SRC, MatchField.TCP_DST),
        new Transport("UDP", IpProtocol.UDP, MatchField.UDP_SRC, MatchField.UDP_DST),
        new Transport("SCTP", IpProtocol.SCTP, MatchField.SCTP_SRC, MatchField.SCTP_DST));

    private Unreadable() {
        // Only functions.
    }

    /** Drops them before all else that is in a table. */
    static void drop(final FlowSink sink, final Table table) {
        sink.flow(table, Priority.FIRST, "IPv4 with protocol 0, or with lengths that contradict each other").ipv4()
            .when(MatchField.IP_PROTO, NO_PROTOCOL).dropUnshown();
        sink.flow(table, Priority.FIRST, "IPv6 that ends before its headers do").ipv6()
            .when(MatchField.IP_PROTO, NO_PROTOCOL).dropUnshown();
    }

    /**
     * Drops packets of functions whose transport header is not read: its ports are 0 then, or it is behind a second
     * tag. A function may leave the checksum of a packet to the switch (virtio, VIRTIO_NET_HDR_F_NEEDS_CSUM). Open
     * vSwitch 4.0 ends when it sends one whose transport it has not read, also to the controller
     * (dp_packet_ol_send_prepare, lib/dp-packet.c).
     */
    static void dropCutOff(final FlowSink sink, final Table table) {
        for (final Transport each : TRANSPORTS) {
            final String label = "function sent a header of " + each.name() + " that is not whole, or port 0 to port 0";
            for (final FlowSink.Draft flow : List.of(sink.flow(table, Priority.FIRST, label).ipv4(),
                    sink.flow(table, Priority.FIRST, label).ipv6())) {
                flow.when(MatchField.IP_PROTO, each.protocol()).when(MatchField.IP_FRAG, 0)
                    .when(each.from(), NO_PORT).when(each.to(), NO_PORT).dropUnshown();
            }
        }
        for (final int type : TAGS) {
            sink.flow(table, Priority.FIRST, "function sent a second 802.1Q tag").when(MatchField.ETH_TYPE, type)
                .dropUnshown();
        }
    }
}
