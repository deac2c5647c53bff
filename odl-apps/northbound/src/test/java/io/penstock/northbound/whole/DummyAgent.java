// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.testkit.TestRun;
import java.io.IOException;
import java.io.Reader;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The part of a node's agent without which the controller waits: it says that cached flows have been dropped, of which
 * a dummy datapath has none, and that all orders are carried out, or what a test wants. Speaks OVSDB (RFC 7047) with
 * the node's database, and connects again when that is away.
 */
final class DummyAgent implements TestRun.Closing {
    private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();
    private static final String MONITOR = """
        {"method": "monitor", "id": 0, "params": ["Open_vSwitch", null, {"Bridge": {"columns": ["external_ids"]}}]}""";

    private final Path socket;
    private final Thread thread = new Thread(this::serve, "dummy-agent");
    private volatile boolean closed;
    private volatile String progress = "";
    private volatile boolean answering = true;
    private volatile SocketChannel channel;

    /** Starts it; the database may be started later. */
    DummyAgent(final Path socket) {
        this.socket = socket;
        thread.setDaemon(true);
        thread.start();
    }

    private void serve() {
        while (!closed) {
            try (SocketChannel connected = SocketChannel.open(UnixDomainSocketAddress.of(socket));
                    Reader reader = Channels.newReader(connected, StandardCharsets.UTF_8);
                    JsonReader messages = new JsonReader(reader)) {
                channel = connected;
                messages.setLenient(true);
                send(MONITOR);
                while (messages.peek() != JsonToken.END_DOCUMENT) {
                    read(JsonParser.parseReader(messages).getAsJsonObject());
                }
            } catch (IOException | IllegalStateException e) {
                // The database is away, or was stopped in the middle of a message.
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void read(final JsonObject message) throws IOException {
        final JsonElement method = message.get("method");
        if (method == null) {
            if (message.get("id").getAsInt() == 0) {
                carryOut(message.getAsJsonObject("result"));
            }
        } else if (method.getAsString().equals("update")) {
            carryOut(message.getAsJsonArray("params").get(1).getAsJsonObject());
        } else if (method.getAsString().equals("echo")) {
            send("{\"id\": " + message.get("id") + ", \"error\": null, \"result\": " + message.get("params") + "}");
        }
    }

    private void carryOut(final JsonObject tables) throws IOException {
        if (tables.has("Bridge")) {
            for (final Map.Entry<String, JsonElement> row : tables.getAsJsonObject("Bridge").entrySet()) {
                final JsonObject now = row.getValue().getAsJsonObject().getAsJsonObject("new");
                final JsonObject ids = now == null ? new JsonObject() : map(now.getAsJsonArray("external_ids"));
                final JsonElement order = ids.get(NodeKeys.CACHE);
                if (order != null && !order.equals(ids.get(NodeKeys.CACHE_DONE))) {
                    write(row.getKey(), NodeKeys.CACHE_DONE, order);
                }
                final JsonElement question = ids.get(NodeKeys.ORDERS);
                if (question != null && answering) {
                    final JsonElement said = new JsonPrimitive("{\"order\": %s%s}".formatted(question, progress));
                    if (!said.equals(ids.get(NodeKeys.ORDERS_DONE))) {
                        write(row.getKey(), NodeKeys.ORDERS_DONE, said);
                    }
                }
            }
        }
    }

    /** Has it answer questions how far it is with this, further members of a JSON object; none is done. */
    void progress(final String members) {
        progress = members;
    }

    /** Has it answer such questions, or not. */
    void answer(final boolean wanted) {
        answering = wanted;
    }

    private void write(final String bridge, final String key, final JsonElement value) throws IOException {
        send("""
            {"method": "transact", "id": 1, "params": ["Open_vSwitch", {"op": "mutate", "table": "Bridge",
              "where": [["_uuid", "==", ["uuid", "%1$s"]]], "mutations": [
                ["external_ids", "delete", ["set", ["%2$s"]]],
                ["external_ids", "insert", ["map", [["%2$s", %3$s]]]]]}]}""".formatted(bridge, key, value));
    }

    private static JsonObject map(final JsonArray column) {
        final JsonObject map = new JsonObject();
        column.get(1).getAsJsonArray().forEach(pair ->
            map.add(pair.getAsJsonArray().get(0).getAsString(), pair.getAsJsonArray().get(1)));
        return map;
    }

    private void send(final String text) throws IOException {
        final ByteBuffer buffer = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            if (channel != null) {
                channel.close();
            }
            thread.join();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
