// SPDX-License-Identifier: Apache-2.0
package io.penstock.access;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The places of the data that a change names, in its path, in the targets of its edits, and in its body where that is
 * merged with what is there. Stateless.
 */
public final class ChangedPaths {
    /** More are one: what they have in common. */
    private static final int MOST = 50;

    /**
     * A part of a path below the root of the data.
     *
     * @param module empty if it is that of what is around
     * @param keys of an entry; empty for all entries, and for what is no list
     */
    public record Part(String module, String local, List<String> keys) {
        /** Copies what is given. */
        public Part {
            keys = List.copyOf(keys);
        }
    }

    private ChangedPaths() {
        // Only functions.
    }

    /**
     * The places that a request changes; none if it is no change of data.
     *
     * @param keys the names of the keys of a list; none for anything else
     */
    public static List<List<Part>> of(final Call call, final Function<List<Part>, List<String>> keys) {
        final Optional<Resource> resource = Resource.parse(call.path()).filter(each -> each.steps().size() >= 2
            && each.steps().get(0).name().equals("rests") && each.steps().get(1).name().equals("data"));
        if (resource.isEmpty()) {
            return List.of();
        }
        final List<Part> base = parts(resource.orElseThrow());
        final Optional<JsonObject> body = call.isJson() || call.isPatch()
            ? Json.parse(call.body()).filter(JsonObject.class::isInstance).map(JsonObject.class::cast)
                .filter(each -> each.size() == 1) : Optional.empty();
        if (body.isEmpty() || "PUT".equals(call.method()) || "DELETE".equals(call.method())) {
            return base.isEmpty() ? List.of() : List.of(base);
        }
        final Map.Entry<String, JsonElement> member = body.orElseThrow().entrySet().iterator().next();
        final Set<List<Part>> places = new LinkedHashSet<>();
        if (call.isPatch()) {
            Edits.of(member.getValue()).ifPresent(edits -> edits.forEach(edit ->
                resource.orElseThrow().and(edit.target()).ifPresent(target -> places.add(parts(target)))));
        } else if ("POST".equals(call.method())) {
            entries(base, member.getKey(), member.getValue(), keys, places);
        } else {
            members(base, member.getValue(), keys, places);
        }
        places.removeIf(List::isEmpty);
        return places.size() <= MOST ? List.copyOf(places) : List.of(common(List.copyOf(places)));
    }

    private static List<Part> parts(final Resource resource) {
        return resource.steps().stream().skip(2).map(step -> new Part(step.module(), step.local(), step.keys()))
            .toList();
    }

    private static List<Part> and(final List<Part> path, final String name, final List<String> keys) {
        final List<Part> longer = new ArrayList<>(path);
        final int colon = name.indexOf(':');
        longer.add(new Part(name.substring(0, Math.max(0, colon)), name.substring(colon + 1), keys));
        return List.copyOf(longer);
    }

    /** What is merged into a container is changed member by member; anything else as a whole. */
    private static void members(final List<Part> path, final JsonElement value,
            final Function<List<Part>, List<String>> keys, final Set<List<Part>> places) {
        if (places.size() > MOST) {
            return;
        }
        if (!path.isEmpty() && path.get(path.size() - 1).keys().isEmpty() && value instanceof JsonObject object
                && keys.apply(path).isEmpty()) {
            object.entrySet().forEach(each -> entries(path, each.getKey(), each.getValue(), keys, places));
        } else {
            places.add(path);
        }
    }

    private static void entries(final List<Part> path, final String name, final JsonElement value,
            final Function<List<Part>, List<String>> keys, final Set<List<Part>> places) {
        final List<Part> child = and(path, name, List.of());
        final List<String> names = keys.apply(child);
        if (names.isEmpty()) {
            members(child, value, keys, places);
            return;
        }
        for (final JsonElement entry : value instanceof JsonArray list ? list : List.of(value)) {
            final List<String> values = names.stream().map(key -> entry instanceof JsonObject object
                && object.get(key) instanceof JsonPrimitive found ? found.getAsString() : "")
                .toList();
            places.add(and(path, name, values));
        }
    }

    private static List<Part> common(final List<List<Part>> paths) {
        List<Part> common = paths.get(0);
        for (final List<Part> path : paths) {
            int same = 0;
            while (same < Math.min(common.size(), path.size()) && common.get(same).equals(path.get(same))) {
                same++;
            }
            common = common.subList(0, same);
        }
        return common;
    }

    /** A path for people. Percent signs, slashes and commas in keys are encoded, so that it has one meaning. */
    public static String text(final List<Part> path) {
        return path.stream().map(part -> (part.module().isEmpty() ? "" : part.module() + ":") + part.local()
            + (part.keys().isEmpty() ? "" : part.keys().stream()
                .map(key -> key.replace("%", "%25").replace("/", "%2F").replace(",", "%2C"))
                .collect(Collectors.joining(",", "=", "")))).collect(Collectors.joining("/"));
    }
}
