// SPDX-License-Identifier: Apache-2.0
package io.penstock.access;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * JSON (RFC 8259) that cannot be read in two ways: UTF-8, one value, no member twice. What is judged is then what
 * RESTCONF reads.
 */
public final class Json {
    private static final int MOST_DEPTH = 64;

    private Json() {
        // Only functions.
    }

    /** Reads a document; empty when it is none. */
    public static Optional<JsonElement> parse(final byte[] document) {
        try (JsonReader json = new JsonReader(new InputStreamReader(new ByteArrayInputStream(document),
                StandardCharsets.UTF_8.newDecoder()))) {
            final JsonElement read = value(json, 0);
            return json.peek() == JsonToken.END_DOCUMENT ? Optional.of(read) : Optional.empty();
        } catch (IOException | IllegalStateException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static JsonElement value(final JsonReader json, final int depth) throws IOException {
        if (depth > MOST_DEPTH) {
            throw new IOException("too deep");
        }
        return switch (json.peek()) {
            case BEGIN_OBJECT -> object(json, depth);
            case BEGIN_ARRAY -> array(json, depth);
            case BOOLEAN -> new JsonPrimitive(json.nextBoolean());
            case NULL -> {
                json.nextNull();
                yield JsonNull.INSTANCE;
            }
            // Of a number as it is written.
            default -> new JsonPrimitive(json.nextString());
        };
    }

    private static JsonArray array(final JsonReader json, final int depth) throws IOException {
        final JsonArray array = new JsonArray();
        json.beginArray();
        while (json.hasNext()) {
            array.add(value(json, depth + 1));
        }
        json.endArray();
        return array;
    }

    private static JsonObject object(final JsonReader json, final int depth) throws IOException {
        final JsonObject object = new JsonObject();
        json.beginObject();
        while (json.hasNext()) {
            final String name = json.nextName();
            if (object.has(name)) {
                throw new IOException(name + " is there twice");
            }
            object.add(name, value(json, depth + 1));
        }
        json.endObject();
        return object;
    }
}
