// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The smallest OpenFlow controller: speaks to a bridge through its management socket. */
public final class PlainConnection implements AutoCloseable {
    private static final int ERROR = 1;
    private static final int ECHO_REQUEST = 2;
    private static final int BARRIER_REQUEST = 20;
    private static final int BARRIER_REPLY = 21;
    private static final int MULTIPART_REQUEST = 18;

    private final SocketChannel channel;
    private int xid = 1;

    /** Connects and says hello. */
    public PlainConnection(final Path socket) throws IOException {
        channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        // Version 1.3 only.
        channel.write(ByteBuffer.wrap(HexFormat.of().parseHex("0400000800000000")));
    }

    /** Sends messages and a barrier; returns the errors of the switch as hex. */
    public List<String> send(final List<byte[]> messages) throws IOException {
        for (final byte[] message : messages) {
            final ByteBuf out = Unpooled.buffer();
            WireMessages.write(out, message, xid++);
            write(ByteBufUtil.getBytes(out));
        }
        write(header(BARRIER_REQUEST));
        final List<String> errors = new ArrayList<>();
        while (true) {
            final byte[] reply = read();
            if (reply[1] == BARRIER_REPLY) {
                return errors;
            } else if (reply[1] == ERROR) {
                errors.add(HexFormat.of().formatHex(reply));
            }
        }
    }

    /** All flows of the bridge. */
    public List<WireFlow> dump() throws IOException {
        final ByteBuf out = Unpooled.buffer();
        out.writeByte(4).writeByte(MULTIPART_REQUEST).writeShort(56).writeInt(xid++).writeShort(1).writeShort(0)
            .writeInt(0).writeByte(0xff).writeZero(3).writeInt(-1).writeInt(-1).writeZero(4).writeLong(0)
            .writeLong(0).writeShort(1).writeShort(4).writeInt(0);
        write(ByteBufUtil.getBytes(out));
        final List<WireFlow> flows = new ArrayList<>();
        boolean more = true;
        while (more) {
            final ByteBuf reply = Unpooled.wrappedBuffer(read());
            if (reply.getByte(1) == MULTIPART_REQUEST + 1) {
                more = reply.getUnsignedShort(10) != 0;
                final byte[] body = new byte[reply.readableBytes() - 16];
                reply.getBytes(16, body);
                flows.addAll(WireFlow.decode(body));
            }
        }
        return flows;
    }

    private byte[] header(final int type) {
        return ByteBufUtil.getBytes(Unpooled.buffer().writeByte(4).writeByte(type).writeShort(8).writeInt(xid++));
    }

    private byte[] read() throws IOException {
        while (true) {
            final ByteBuffer header = fill(ByteBuffer.allocate(8));
            final int length = Short.toUnsignedInt(header.getShort(2));
            final ByteBuffer all = ByteBuffer.allocate(length).put(header.rewind());
            fill(all);
            if (all.get(1) != ECHO_REQUEST) {
                return all.array();
            }
            write(all.put(1, (byte) (ECHO_REQUEST + 1)).array());
        }
    }

    private ByteBuffer fill(final ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new IOException("the switch closed the connection");
            }
        }
        return buffer;
    }

    private void write(final byte[] message) throws IOException {
        final ByteBuffer buffer = ByteBuffer.wrap(message);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
