// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.net.Ipv4;
import java.util.List;

/** Whole OpenFlow 1.3 messages to a switch, with transaction id zero until {@link #write}. */
public final class WireMessages {
    /** In-port of a packet-out that comes from no port (OFPP_CONTROLLER). */
    public static final long NO_PORT = WireActions.PORT_CONTROLLER;
    /** Longest message: the length is a 16-bit number. */
    public static final int MAX_LENGTH = 0xffff;

    private static final int VERSION_13 = 4;
    private static final int EXPERIMENTER = 4;
    private static final int PACKET_OUT = 13;
    private static final int FLOW_MOD = 14;
    private static final int ROLE_REQUEST = 24;
    private static final int METER_MOD = 29;
    /** OFPCR_ROLE_MASTER. */
    private static final int MASTER = 2;
    /** OFPCR_ROLE_SLAVE. */
    private static final int SLAVE = 3;
    /** OFPMC_DELETE. */
    private static final int METER_DELETE = 2;
    private static final int ADD = 0;
    /** OFPFF_RESET_COUNTS. Without it a flow that takes the place of another one goes on with its counters. */
    static final int RESET_COUNTS = 1 << 2;
    private static final int DELETE = 3;
    private static final int DELETE_STRICT = 4;
    /** OFPTT_ALL. */
    private static final int ALL_TABLES = 0xff;
    private static final int NO_BUFFER = -1;
    /** OFPP_ANY, OFPG_ANY. */
    private static final int ANY = -1;

    private static final int ONF = 0x4f4e4600;
    private static final int BUNDLE_CONTROL = 2300;
    private static final int BUNDLE_ADD = 2301;
    private static final int NICIRA = 0x00002320;
    private static final int CT_FLUSH_ZONE = 29;
    private static final int CT_FLUSH = 32;
    private static final int CT_REPLY_TUPLE = 1;
    private static final int CT_TUPLE_DESTINATION = 1;
    private static final int CT_ZONE = 2;
    /** All or nothing, and in the order in which the messages were added. */
    private static final int BUNDLE_FLAGS = 0x0003;
    /** Bytes of a message's header. */
    private static final int HEADER = 8;
    /** Bytes of a bundle-add before the message inside. */
    private static final int BUNDLE_ADD_HEADER = 24;
    private static final int XID_OFFSET = 4;
    private static final int COOKIE_MASK_OFFSET = 16;

    private WireMessages() {
        // Only functions.
    }

    /** What a bundle control message wants. */
    public enum BundleControl {
        OPEN(0), CLOSE(2), COMMIT(4), DISCARD(6);

        private final int code;

        BundleControl(final int code) {
            this.code = code;
        }
    }

    /** OFPMC_ADD and OFPMC_MODIFY. */
    public enum MeterCommand { ADD, MODIFY }

    /** Adds a flow, or puts it in place of the flow with the same key; counters start at zero. */
    public static byte[] add(final FlowSpec flow) {
        final ByteBuf out = flowMod(ADD, flow.table().number(), flow.priority(), flow.cookie(), flow.idleTimeout());
        WireMatch.encode(out, flow.matches());
        WireFlow.encodeInstructions(out, flow);
        return finish(out);
    }

    /**
     * Makes this connection the only one that may change anything. A switch refuses it if it has taken a greater epoch.
     *
     * @param epoch generation id of the request
     */
    public static byte[] master(final long epoch) {
        return finish(begin(ROLE_REQUEST).writeInt(MASTER).writeInt(0).writeLong(epoch));
    }

    /**
     * Has a switch take no orders by this connection, and send no packets there. A switch refuses it if it has taken a
     * greater epoch.
     *
     * @param epoch generation id of the request
     */
    public static byte[] slave(final long epoch) {
        return finish(begin(ROLE_REQUEST).writeInt(SLAVE).writeInt(0).writeLong(epoch));
    }

    /** Deletes every flow with this cookie, in all tables. */
    public static byte[] deleteAll(final long cookie) {
        final ByteBuf out = flowMod(DELETE, ALL_TABLES, 0, cookie, 0);
        out.setLong(COOKIE_MASK_OFFSET, -1);
        WireMatch.encode(out, List.of());
        return finish(out);
    }

    /** Makes a meter, or changes the one that is there: a switch refuses the wrong one of the two. */
    public static byte[] meter(final MeterSpec meter, final MeterCommand command) {
        final ByteBuf out = begin(METER_MOD).writeShort(command.ordinal());
        WireMeters.encode(out, meter);
        return finish(out);
    }

    /** Deletes a meter, and with it all flows that name it. */
    public static byte[] deleteMeter(final int id) {
        return finish(begin(METER_MOD).writeShort(METER_DELETE).writeShort(0).writeInt(id));
    }

    /** Deletes exactly the flow with this key, whatever its actions and cookie. */
    public static byte[] delete(final FlowSpec.Key key) {
        final ByteBuf out = flowMod(DELETE_STRICT, key.table().number(), key.priority(), 0, 0);
        WireMatch.encode(out, key.matches());
        return finish(out);
    }

    /** Deletes exactly the flow with this table, priority and {@code struct ofp_match}. */
    public static byte[] delete(final int table, final int priority, final byte[] match) {
        return finish(flowMod(DELETE_STRICT, table, priority, 0, 0).writeBytes(match));
    }

    /** Lets a switch treat a frame with some actions as if it had come in at a port. */
    public static byte[] packetOut(final long inPort, final List<Action> actions, final byte[] frame) {
        final ByteBuf out = begin(PACKET_OUT);
        out.writeInt(NO_BUFFER).writeInt((int) inPort);
        final int lengthIndex = out.writerIndex();
        out.writeShort(0).writeZero(6);
        final int start = out.writerIndex();
        WireActions.encode(out, actions);
        out.setShort(lengthIndex, out.writerIndex() - start);
        return finish(out.writeBytes(frame));
    }

    /** Opens, closes, commits or discards a bundle. */
    public static byte[] bundleControl(final int bundle, final BundleControl control) {
        return finish(begin(EXPERIMENTER).writeInt(ONF).writeInt(BUNDLE_CONTROL).writeInt(bundle)
            .writeShort(control.code).writeShort(BUNDLE_FLAGS));
    }

    /** Puts a message into a bundle. */
    public static byte[] bundleAdd(final int bundle, final byte[] message) {
        return finish(begin(EXPERIMENTER).writeInt(ONF).writeInt(BUNDLE_ADD).writeInt(bundle)
            .writeShort(0).writeShort(BUNDLE_FLAGS).writeBytes(message));
    }

    /** Forgets all connections of a conntrack zone (NXT_CT_FLUSH_ZONE, struct nx_zone_id). */
    public static byte[] flushZone(final int zone) {
        return finish(begin(EXPERIMENTER).writeInt(NICIRA).writeInt(CT_FLUSH_ZONE).writeZero(6).writeShort(zone));
    }

    /**
     * Forgets the connections of a conntrack zone whose answers go to one address (NXT_CT_FLUSH, struct nx_ct_flush).
     * The switch looks at every connection of the zone.
     */
    public static byte[] flushAddress(final int zone, final Ipv4 address) {
        final ByteBuf out = begin(EXPERIMENTER).writeInt(NICIRA).writeInt(CT_FLUSH).writeZero(8);
        // The tuple of the answers, in it their destination, an IPv4 address mapped to IPv6; each padded to 8 bytes.
        out.writeShort(CT_REPLY_TUPLE).writeShort(32).writeZero(4);
        out.writeShort(CT_TUPLE_DESTINATION).writeShort(20).writeZero(10).writeShort(0xffff)
            .writeInt((int) address.number()).writeZero(4);
        return finish(out.writeShort(CT_ZONE).writeShort(6).writeShort(zone).writeZero(2));
    }

    /** Writes a message of this class with a transaction id; one inside a bundle-add must have the same. */
    public static void write(final ByteBuf out, final byte[] message, final int xid) {
        final int start = out.writerIndex();
        out.writeBytes(message);
        out.setInt(start + XID_OFFSET, xid);
        if (message.length >= BUNDLE_ADD_HEADER + HEADER && message[1] == EXPERIMENTER
                && out.getInt(start + HEADER) == ONF && out.getInt(start + HEADER + 4) == BUNDLE_ADD) {
            out.setInt(start + BUNDLE_ADD_HEADER + XID_OFFSET, xid);
        }
    }

    /** A {@code struct ofp_match}, as {@link WireFlow#match()} has it. */
    public static byte[] match(final List<FieldMatch> matches) {
        final ByteBuf out = Unpooled.buffer();
        WireMatch.encode(out, matches);
        return ByteBufUtil.getBytes(out);
    }

    private static ByteBuf flowMod(final int command, final int table, final int priority, final long cookie,
            final int idleTimeout) {
        return begin(FLOW_MOD).writeLong(cookie).writeLong(0).writeByte(table).writeByte(command)
            .writeShort(idleTimeout).writeShort(0).writeShort(priority).writeInt(NO_BUFFER).writeInt(ANY)
            .writeInt(ANY).writeShort(command == ADD ? RESET_COUNTS : 0).writeZero(2);
    }

    private static ByteBuf begin(final int type) {
        return Unpooled.buffer(128).writeByte(VERSION_13).writeByte(type).writeShort(0).writeInt(0);
    }

    private static byte[] finish(final ByteBuf out) {
        final int length = out.writerIndex();
        if (length > MAX_LENGTH) {
            throw new IllegalArgumentException("message of " + length + " bytes");
        }
        out.setShort(2, length);
        return ByteBufUtil.getBytes(out);
    }
}
