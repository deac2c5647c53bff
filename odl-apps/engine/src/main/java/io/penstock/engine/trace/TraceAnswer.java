// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.trace;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.penstock.pipeline.registry.Table;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the switch does with a packet, as the agent of its node says.
 *
 * @param state of the connection: {@code new}, {@code est}, or {@code rpl} when the other end began it
 * @param label of the connection, as it is or as the packet makes it
 */
record TraceAnswer(String state, BigInteger label, List<Leg> legs) {
    private static final int HEX = 16;

    /**
     * From one port to others.
     *
     * @param tables in the order of the packet
     */
    record Leg(String from, List<String> to, List<Table> tables) {
        Leg {
            to = List.copyOf(to);
            tables = List.copyOf(tables);
        }

        /** Where the packet ended. */
        Optional<Table> last() {
            return tables.isEmpty() ? Optional.empty() : Optional.of(tables.get(tables.size() - 1));
        }
    }

    /**
     * Reads an answer.
     *
     * @throws IllegalStateException when the agent could not carry the order out, or the answer makes no sense
     */
    static TraceAnswer parse(final String text) {
        try {
            final JsonObject json = JsonParser.parseString(text).getAsJsonObject();
            if (json.has("error")) {
                throw new IllegalStateException("the agent reports: " + json.get("error").getAsString());
            }
            final List<Leg> legs = list(member(json, "legs"), each -> leg(each.getAsJsonObject()));
            if (legs.isEmpty()) {
                throw new IllegalStateException("the agent's answer has no legs");
            }
            return new TraceAnswer(member(json, "state").getAsString(),
                new BigInteger(member(json, "label").getAsString().replaceFirst("^0x", ""), HEX), legs);
        } catch (JsonParseException | ClassCastException | IllegalArgumentException
                | UnsupportedOperationException e) {
            throw new IllegalStateException("the agent's answer has another form than expected", e);
        }
    }

    private static Leg leg(final JsonObject json) {
        return new Leg(member(json, "from").getAsString(), list(member(json, "to"), JsonElement::getAsString),
            list(member(json, "tables"), each -> Table.ofNumber(each.getAsInt()).orElseThrow(
                () -> new IllegalStateException("the switch uses table " + each + ", which is not planned"))));
    }

    private static JsonElement member(final JsonObject json, final String name) {
        if (!json.has(name)) {
            throw new IllegalArgumentException(name);
        }
        return json.get(name);
    }

    private static <T> List<T> list(final JsonElement array, final Function<JsonElement, T> reader) {
        final List<T> result = new ArrayList<>();
        array.getAsJsonArray().forEach(each -> result.add(reader.apply(each)));
        return result;
    }
}
