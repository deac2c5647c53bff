// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Server-sent events of a RESTCONF stream, as far as they came. */
final class EventStream implements AutoCloseable {
    private static final String DATA = "data: ";

    private final SocketChannel channel;
    private final String notification;
    /** Written by one thread. */
    private volatile String text = "";
    private volatile boolean ended;

    /** Reads an answer that never ends; ready when its head has come. */
    EventStream(final SocketChannel channel, final String notification) {
        this.notification = notification;
        this.channel = channel;
        final Thread reader = new Thread(this::read, "events");
        reader.setDaemon(true);
        reader.start();
        Await.until("the stream opens", () -> text.contains("\r\n\r\n"));
        if (!text.contains(" 200 ")) {
            throw new AssertionError(text);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // no other thread writes it
    private void read() {
        final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        try {
            while (channel.read(buffer) >= 0) {
                text += new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
                buffer.clear();
            }
        } catch (IOException e) {
            text += "\nended: " + e;
        }
        ended = true;
    }

    /** The notifications of its kind until now. */
    List<JsonObject> events() {
        return text.lines().filter(line -> line.startsWith(DATA))
            .map(line -> JsonParser.parseString(line.substring(DATA.length())).getAsJsonObject()
                .getAsJsonObject("ietf-restconf:notification").getAsJsonObject(notification))
            .filter(Objects::nonNull).toList();
    }

    /** Whether the other side has ended it. */
    boolean hasEnded() {
        return ended;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
