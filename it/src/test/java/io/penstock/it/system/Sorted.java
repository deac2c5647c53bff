// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Comparator;
import java.util.stream.StreamSupport;

/** Configurations to be compared: the datastore keeps no order of lists with the key {@code name}. */
final class Sorted {
    private Sorted() {
        // Static methods only.
    }

    /** The same with such lists in the order of their names, at all depths. */
    static JsonElement byName(final JsonElement element) {
        if (element.isJsonObject()) {
            final JsonObject sorted = new JsonObject();
            element.getAsJsonObject().entrySet().forEach(entry -> sorted.add(entry.getKey(), byName(entry.getValue())));
            return sorted;
        }
        if (element.isJsonArray()) {
            final JsonArray sorted = new JsonArray();
            StreamSupport.stream(element.getAsJsonArray().spliterator(), false).map(Sorted::byName)
                .sorted(Comparator.comparing(Sorted::name)).forEach(sorted::add);
            return sorted;
        }
        return element;
    }

    /** Sorting is stable: what has no name stays in its order. */
    private static String name(final JsonElement entry) {
        return entry.isJsonObject() && entry.getAsJsonObject().has("name")
            ? entry.getAsJsonObject().get("name").getAsString() : "";
    }
}
