// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.penstock.southbound.ovsdb.NodeKeys;
import java.io.IOException;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Speaks OVSDB (RFC 7047) well enough to be taken for the database of a node: answers with the true schema, and
 * announces a name.
 */
final class FakeDatabase implements AutoCloseable {
    private static final Path SCHEMA = Path.of("/usr/share/openvswitch/vswitch.ovsschema");
    private static final String ROW = "01234567-0123-0123-0123-0123456789ab";

    private final SocketChannel channel;
    private final String name;
    private final Thread thread = new Thread(this::answer, "fake-database");
    private volatile boolean read;
    private volatile boolean changed;

    FakeDatabase(final SocketChannel channel, final String name) {
        this.channel = channel;
        this.name = name;
        thread.setDaemon(true);
        thread.start();
    }

    /** Whether somebody asked for what is in it. */
    boolean wasRead() {
        return read;
    }

    /** Whether somebody tried to change something. */
    boolean wasChanged() {
        return changed;
    }

    private void answer() {
        try (Reader reader = Channels.newReader(channel, StandardCharsets.UTF_8);
                JsonReader messages = new JsonReader(reader)) {
            messages.setLenient(true);
            while (messages.peek() != JsonToken.END_DOCUMENT) {
                final JsonObject message = JsonParser.parseReader(messages).getAsJsonObject();
                if (message.has("method")) {
                    final String result = result(message.get("method").getAsString(),
                        message.getAsJsonArray("params"));
                    send("{\"id\":" + message.get("id") + ",\"error\":null,\"result\":"
                        + JsonParser.parseString(result) + "}");
                }
            }
        } catch (IOException | IllegalStateException e) {
            // The controller has hung up, or the test is over.
            return;
        }
    }

    private String result(final String method, final JsonArray parameters) throws IOException {
        return switch (method) {
            case "list_dbs" -> "['Open_vSwitch']";
            case "get_schema" -> Files.readString(SCHEMA);
            case "monitor" -> {
                read = true;
                yield "{'Open_vSwitch': {'" + ROW + "': {'new': {'ovs_version': '4.0.0', "
                    + "'external_ids': ['map', [['" + NodeKeys.NODE + "', '" + name + "'], ['" + NodeKeys.PORTS
                    + "', '[]'], ['" + NodeKeys.VHOST_DIR + "', '/nowhere']]]}}}}";
            }
            case "transact" -> {
                final String text = parameters.toString();
                changed |= text.contains("\"insert\"") || text.contains("\"update\"") || text.contains("\"mutate\"");
                yield "[{'rows': []}]";
            }
            default -> parameters.toString();
        };
    }

    private void send(final String text) throws IOException {
        final ByteBuffer buffer = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
