// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonReader;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The control socket of a daemon of Open vSwitch, which ovs-appctl uses: JSON-RPC 1.0, a connection for each command
 * (lib/unixctl.c). Tests give thousands of commands: a process for each took most of their time.
 */
final class ControlSocket {
    private static final int LIMIT_SECONDS = 60;

    private ControlSocket() {
        // Only functions.
    }

    /**
     * Gives a command and waits for the answer, without the line end at its end, at most a minute.
     *
     * @throws AssertionError if the daemon refuses the command, does not listen, does not answer, or ends
     */
    static String call(final Path socket, final List<String> words) {
        final JsonArray arguments = new JsonArray();
        words.stream().skip(1).forEach(arguments::add);
        final JsonObject request = new JsonObject();
        request.addProperty("id", 0);
        request.addProperty("method", words.get(0));
        request.add("params", arguments);
        final JsonObject answer;
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            final CompletableFuture<Void> end = new CompletableFuture<>();
            end.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS);
            end.whenComplete((done, late) -> close(channel));
            try {
                answer = ask(channel, socket, request);
            } finally {
                end.complete(null);
            }
        } catch (IOException | JsonParseException | IllegalStateException e) {
            throw new AssertionError(socket + ": " + words + ": " + e, e);
        }
        final JsonElement error = answer.get("error");
        if (error != null && !error.isJsonNull()) {
            throw new AssertionError(socket + ": " + words + ": " + error.getAsString());
        }
        return answer.get("result").getAsString().stripTrailing();
    }

    /** The daemon leaves the connection open, so the end of the value is the end of the answer. */
    private static JsonObject ask(final SocketChannel channel, final Path socket, final JsonObject request)
            throws IOException {
        channel.connect(UnixDomainSocketAddress.of(socket));
        final ByteBuffer bytes = ByteBuffer.wrap(request.toString().getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        final Reader reader = Channels.newReader(channel, StandardCharsets.UTF_8);
        return JsonParser.parseReader(new JsonReader(reader)).getAsJsonObject();
    }

    private static void close(final SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
