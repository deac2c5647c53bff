// SPDX-License-Identifier: Apache-2.0
package io.penstock.access;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The edits of a YANG Patch (RFC 8072). */
final class Edits {
    private static final Set<String> WITH_VALUE = Set.of("create", "merge", "replace", "insert");
    private static final Set<String> WITHOUT_VALUE = Set.of("delete", "remove", "move");

    /**
     * One edit.
     *
     * @param target relative to the path of the request
     * @param value with its name; empty for what is removed or moved
     */
    record Edit(String target, Optional<JsonObject> value) { }

    private Edits() {
        // Only functions.
    }

    /** The edits of the only member of a YANG Patch; empty when it is none that can be judged. */
    static Optional<List<Edit>> of(final JsonElement patch) {
        if (!(patch instanceof JsonObject members) || !(members.get("edit") instanceof JsonArray list)) {
            return Optional.empty();
        }
        final List<Edit> edits = new ArrayList<>();
        for (final JsonElement each : list) {
            final Optional<Edit> edit = each instanceof JsonObject object ? edit(object) : Optional.empty();
            if (edit.isEmpty()) {
                return Optional.empty();
            }
            edits.add(edit.orElseThrow());
        }
        return edits.isEmpty() ? Optional.empty() : Optional.of(edits);
    }

    private static Optional<Edit> edit(final JsonObject edit) {
        final Optional<String> target = text(edit, "target");
        final String operation = text(edit, "operation").orElse("");
        if (target.isEmpty()) {
            return Optional.empty();
        }
        if (WITHOUT_VALUE.contains(operation)) {
            return edit.has("value") ? Optional.empty() : Optional.of(new Edit(target.orElseThrow(), Optional.empty()));
        }
        return WITH_VALUE.contains(operation) && edit.get("value") instanceof JsonObject value && value.size() == 1
            ? Optional.of(new Edit(target.orElseThrow(), Optional.of(value))) : Optional.empty();
    }

    private static Optional<String> text(final JsonObject object, final String name) {
        return object.get(name) instanceof JsonPrimitive value
            ? Optional.of(value.getAsString()) : Optional.empty();
    }
}
