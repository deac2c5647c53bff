// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.StreamSupport;

/**
 * RFC 8040 in JSON, through a {@link Door}. Documents may be written with single quotes. HTTP/1.0, so that the end of
 * an answer is the end of the connection.
 */
final class RestconfClient {
    private static final String TYPE = "application/yang-data+json";
    /** More than the longest operation takes that has a limit of its own, which is the wait for what was applied. */
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String STRANGER = basic("made", "up");

    private final Door door;
    private final String authorization;
    private final Supplier<String> works;

    /**
     * A client of one user.
     *
     * @param works says what the controller does when it does not answer
     */
    RestconfClient(final Door door, final String user, final String password, final Supplier<String> works) {
        this.door = door;
        this.works = works;
        authorization = basic(user, password);
    }

    private static String basic(final String user, final String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** What the controller answered. */
    record Answer(int status, String body) {
        boolean isGood() {
            return status >= 200 && status < 300;
        }

        /** Whether the controller blames the request. */
        boolean isRefusal() {
            return status >= 400 && status < 500;
        }

        JsonObject json() {
            return body.isBlank() ? new JsonObject() : JsonParser.parseString(body).getAsJsonObject();
        }

        /** The messages of a refusal. */
        String messages() {
            return String.join("; ", members("error-message"));
        }

        /** Where the model has what is refused, one path for each error. */
        List<String> paths() {
            return members("error-path");
        }

        private List<String> members(final String name) {
            final JsonObject errors = json().getAsJsonObject("errors");
            return StreamSupport.stream(errors.getAsJsonArray("error").spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .map(error -> error.has(name) ? error.get(name).getAsString() : "").toList();
        }
    }

    /** Sends a request below {@code /rests/data}, whatever the answer. */
    Answer data(final String method, final String path, final String document) {
        return send(method, "data/" + path, document);
    }

    /** The same controller as another user. */
    RestconfClient as(final String user, final String password) {
        return new RestconfClient(door, user, password, works);
    }

    /** Sends what may be no request that the controller knows. */
    Answer raw(final String method, final String path, final String type, final byte[] body) {
        return send(method, path, authorization, type, body);
    }

    /** Puts a document in the place of what is there. */
    void put(final String path, final String document) {
        expectGood("PUT", path, document);
    }

    /** Adds a document to what is there. */
    void patch(final String path, final String document) {
        expectGood("PATCH", path, document);
    }

    /** Removes what is there. */
    void delete(final String path) {
        expectGood("DELETE", path, "");
    }

    /** Whether something is configured there. */
    boolean has(final String path) {
        return find(path, "config").isPresent();
    }

    /** The state that is there. */
    Optional<JsonObject> state(final String path) {
        return find(path, "nonconfig");
    }

    private Optional<JsonObject> find(final String path, final String content) {
        final Answer answer = data("GET", path + "?content=" + content, "");
        if (answer.isGood()) {
            return Optional.of(answer.json());
        }
        if (answer.status() == 404 || answer.body().contains("data-missing")) {
            return Optional.empty();
        }
        throw new AssertionError("GET " + path + ": " + answer);
    }

    /** What is configured there. */
    JsonObject read(final String path) {
        final Answer answer = data("GET", path + "?content=config", "");
        if (!answer.isGood()) {
            throw new AssertionError("GET " + path + ": " + answer);
        }
        return answer.json();
    }

    /** Calls an operation of the module penstock-operations, whatever the answer. */
    Answer operation(final String operation, final String input) {
        return send("POST", "operations/" + module(operation) + ":" + operation.substring(operation.indexOf(':') + 1),
            "{'" + module(operation) + ":input': " + input + "}");
    }

    /** Calls an operation of the module penstock-operations and gives its output. */
    JsonObject call(final String operation, final String input) {
        final Answer answer = operation(operation, input);
        if (!answer.isGood()) {
            throw new AssertionError(operation + ": " + answer);
        }
        final JsonObject output = answer.json().getAsJsonObject(module(operation) + ":output");
        return output == null ? new JsonObject() : output;
    }

    /** That of an operation whose name has none is penstock-operations. */
    private static String module(final String operation) {
        return operation.contains(":") ? operation.substring(0, operation.indexOf(':')) : "penstock-operations";
    }

    /** Listens to events, such as {@code penstock-operations:nat-pool-event}. */
    EventStream listen(final String notification) {
        try {
            final SocketChannel channel = door.connect();
            write(channel, ("GET /penstock/events HTTP/1.0\r\nHost: localhost\r\nAuthorization: " + authorization
                + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
            return new EventStream(channel, notification);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Begins a change as a user that there is not, and sends no more of its body than the first byte. */
    SocketChannel beginAsAStranger(final String path) {
        try {
            final SocketChannel channel = door.connect();
            write(channel, (head("PUT", "data/" + path, STRANGER, 2) + "{").getBytes(StandardCharsets.UTF_8));
            return channel;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the controller answers to a whole change of a user that there is not. */
    Answer changeAsAStranger(final String path) {
        return send("PUT", "data/" + path, STRANGER, "{}");
    }

    private void expectGood(final String method, final String path, final String document) {
        final Answer answer = data(method, path, document);
        if (!answer.isGood()) {
            throw new AssertionError(method + " " + path + ": " + answer);
        }
    }

    private Answer send(final String method, final String path, final String document) {
        return send(method, path, authorization, document);
    }

    private Answer send(final String method, final String path, final String sender, final String document) {
        // The parser takes single quotes, the controller does not.
        return send(method, path, sender, TYPE,
            (document.isEmpty() ? "" : JsonParser.parseString(document).toString()).getBytes(StandardCharsets.UTF_8));
    }

    private Answer send(final String method, final String path, final String sender, final String type,
            final byte[] body) {
        final String head = head(method, path, sender, body.length).replace("Content-Type: " + TYPE + "\r\n",
            type.isEmpty() ? "" : "Content-Type: " + type + "\r\n");
        final Executor late = CompletableFuture.delayedExecutor(LIMIT.toSeconds(), TimeUnit.SECONDS);
        try (SocketChannel channel = door.connect()) {
            final CompletableFuture<Void> limit = CompletableFuture.runAsync(() -> close(channel), late);
            try {
                write(channel, head.getBytes(StandardCharsets.UTF_8));
                write(channel, body);
                return answer(readAll(channel), method + " " + path);
            } finally {
                limit.cancel(false);
            }
        } catch (AsynchronousCloseException e) {
            throw new AssertionError(method + " " + path + ": no answer within " + LIMIT.toSeconds() + " s; "
                + works.get(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + path, e);
        }
    }

    private static String head(final String method, final String path, final String sender, final int length) {
        return method + " " + (path.startsWith("/") ? path : "/rests/" + path)
            + " HTTP/1.0\r\nHost: localhost\r\nAuthorization: " + sender
            + "\r\nAccept: " + TYPE + ", application/json;q=0.5\r\nContent-Type: "
            + TYPE + "\r\nContent-Length: " + length + "\r\n\r\n";
    }

    private static void close(final SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(final SocketChannel channel, final byte[] bytes) throws IOException {
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private static String readAll(final SocketChannel channel) throws IOException {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        while (channel.read(buffer) >= 0) {
            all.write(buffer.array(), 0, buffer.position());
            buffer.clear();
        }
        return all.toString(StandardCharsets.UTF_8);
    }

    private static Answer answer(final String text, final String request) throws IOException {
        final int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            throw new IOException("no answer to " + request);
        }
        return new Answer(Integer.parseInt(text.split(" ", 3)[1]), text.substring(end + 4));
    }
}
