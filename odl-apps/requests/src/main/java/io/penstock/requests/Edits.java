// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static java.util.Objects.requireNonNull;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.stream.JsonReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/**
 * Refuses a YANG Patch in JSON by its edits (RFC 8072), each as the request that it stands for, and names the edit.
 * Safe for all threads.
 */
final class Edits {
    static final String PATCH = "ietf-yang-patch:yang-patch";
    private static final Set<String> WITH_VALUE = Set.of("create", "merge", "replace", "insert");
    private static final Set<String> WITHOUT_VALUE = Set.of("delete", "remove", "move");
    private static final String VALUE = "value";

    private final Gson gson = new Gson();
    private final Bodies bodies;
    private final Supplier<EffectiveModelContext> models;

    Edits(final Bodies bodies, final Supplier<EffectiveModelContext> models) {
        this.bodies = requireNonNull(bodies);
        this.models = requireNonNull(models);
    }

    /**
     * Judges the edits.
     *
     * @param base the path of the request below {@code /rests/data}, still percent-encoded
     */
    Optional<Refusal> refusal(final String base, final byte[] body) {
        final JsonObject patch;
        try (JsonReader json = new JsonReader(new InputStreamReader(new ByteArrayInputStream(body),
                StandardCharsets.UTF_8.newDecoder()))) {
            patch = object(object(gson.getAdapter(JsonElement.class).read(json)).get(PATCH));
        } catch (IOException | JsonParseException e) {
            return Optional.of(Refusal.malformed("the body is not JSON (RFC 8259)"));
        }
        if (!text(patch, "patch-id").isPresent()) {
            return Optional.of(Refusal.malformed("the body is no " + PATCH + " with a patch-id"));
        }
        final JsonElement edits = patch.get("edit");
        if (!(edits instanceof JsonArray list) || list.isEmpty()) {
            return Optional.of(Refusal.malformed("edit is not a list with entries"));
        }
        for (final JsonElement each : list) {
            final JsonObject edit = object(each);
            final Optional<Refusal> refusal = ofEdit(base, edit);
            if (refusal.isPresent()) {
                return refusal.map(found -> found.in("edit " + text(edit, "edit-id").map(TypeRules::shortened)
                    .orElse("without edit-id")));
            }
        }
        return Optional.empty();
    }

    private Optional<Refusal> ofEdit(final String base, final JsonObject edit) {
        final String operation = text(edit, "operation").orElse("");
        final Optional<String> target = text(edit, "target");
        if (text(edit, "edit-id").isEmpty() || target.isEmpty()) {
            return Optional.of(Refusal.malformed("edit-id and target are required"));
        }
        if (!WITH_VALUE.contains(operation) && !WITHOUT_VALUE.contains(operation)) {
            return Optional.of(Refusal.invalid("operation: '" + TypeRules.shortened(operation)
                + "' is no operation of RFC 8072"));
        }
        if (WITH_VALUE.contains(operation) != edit.has(VALUE)) {
            return Optional.of(Refusal.malformed("operation " + operation + (edit.has(VALUE) ? " takes no value"
                : " needs a value")));
        }
        final String path = base + "/" + target.orElseThrow();
        final Steps steps = Steps.of(models.get(), path);
        if (!steps.isWhole() && !steps.steps().isEmpty() && BodyReader.isOurs(steps.steps().get(0).node())) {
            return Optional.of(Refusal.invalid("target " + TypeRules.shortened(target.orElseThrow())
                + " is not in the model"));
        }
        if (!edit.has(VALUE)) {
            return Optional.empty();
        }
        return bodies.refusal(path, false, edit.get(VALUE).toString().getBytes(StandardCharsets.UTF_8));
    }

    private static JsonObject object(final JsonElement element) {
        return element instanceof JsonObject object ? object : new JsonObject();
    }

    private static Optional<String> text(final JsonObject object, final String name) {
        final JsonElement value = object.get(name);
        return value != null && value.isJsonPrimitive() && value.getAsJsonPrimitive().isString()
            ? Optional.of(value.getAsString()) : Optional.empty();
    }
}
