// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.history;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.access.history.ConfigurationChange.Entry;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;

/** The entries that a line of the audit log tells, of the trees of the configuration alone. Stateless. */
final class ChangedEntries {
    private static final Set<String> TREES = Set.of("penstock:network", "ietf-access-control-list:acls");
    private static final String DATA = "/rests/data";
    private static final String NAME = "name";

    /** What is the same before and after a change. */
    private record Place(String kind, String name, String path) { }

    private static final class Values {
        private Optional<String> before = Optional.empty();
        private Optional<String> after = Optional.empty();
    }

    private ChangedEntries() {
        // Only functions.
    }

    /** Whether a request may change the configuration, by its path with query. */
    static boolean isConcerned(final String path) {
        final String plain = path.split("\\?", 2)[0];
        return plain.equals(DATA) || plain.equals(DATA + "/") || plain.startsWith(DATA + "/")
            && TREES.contains(root(decoded(plain.substring(DATA.length() + 1))));
    }

    /** The place that a request names by its path, where its result does not tell more. */
    static Entry named(final String path, final OptionalLong notLogged) {
        final String plain = path.split("\\?", 2)[0];
        final Place place = plain.length() <= DATA.length() + 1 ? new Place("", "", "")
            : place(plain.substring(DATA.length() + 1));
        return new Entry(place.kind(), place.name(), place.path(), Optional.empty(), Optional.empty(), notLogged);
    }

    /** The entries of a result. */
    static List<Entry> of(final String path, final JsonObject result) {
        final Map<Place, Values> places = new LinkedHashMap<>();
        long notLogged = 0;
        for (final String side : List.of("before", "after")) {
            final JsonElement told = result.get(side);
            if (told instanceof JsonArray list) {
                list.forEach(each -> collect(each, (place, value) -> {
                    final Values values = places.computeIfAbsent(place, key -> new Values());
                    if (side.equals("before")) {
                        values.before = Optional.of(value.toString());
                    } else {
                        values.after = Optional.of(value.toString());
                    }
                }));
            } else if (told instanceof JsonObject instead && instead.get("bytes") != null) {
                notLogged += instead.get("bytes").getAsLong();
            }
        }
        final List<Entry> entries = new ArrayList<>();
        places.forEach((place, values) -> entries.add(new Entry(place.kind(), place.name(), place.path(),
            values.before, values.after, OptionalLong.empty())));
        if (notLogged > 0) {
            entries.add(named(path, OptionalLong.of(notLogged)));
        }
        return entries;
    }

    private static void collect(final JsonElement told, final BiConsumer<Place, JsonElement> into) {
        if (!(told instanceof JsonObject object) || !object.has("at") || !object.has("is")) {
            return;
        }
        final String at = object.get("at").getAsString();
        if (!TREES.contains(root(at))) {
            return;
        }
        final JsonElement value = object.get("is");
        final Place place = place(at);
        if (!place.kind().isEmpty()) {
            each(place, value, into);
        } else if (value instanceof JsonObject tree) {
            tree.entrySet().forEach(member -> each(new Place(member.getKey(), "", ""), member.getValue(), into));
        }
    }

    /** A list whose entries have names is a place for each entry. */
    private static void each(final Place place, final JsonElement value, final BiConsumer<Place, JsonElement> into) {
        if (place.name().isEmpty() && place.path().isEmpty() && value instanceof JsonArray list) {
            for (final JsonElement entry : list) {
                final String name = entry instanceof JsonObject members && members.has(NAME)
                    ? members.get(NAME).getAsString() : "";
                into.accept(new Place(place.kind(), name, ""), name.isEmpty() ? list : entry);
            }
        } else {
            into.accept(place, value);
        }
    }

    private static String root(final String path) {
        return path.split("/", 2)[0];
    }

    /** The place of a path such as {@code penstock:network/tenant=red/quota}. */
    private static Place place(final String path) {
        final String[] parts = path.split("/", 3);
        if (parts.length == 1 || parts[1].isEmpty()) {
            return new Place("", "", "");
        }
        final int equals = parts[1].indexOf('=');
        final String kind = local(equals < 0 ? parts[1] : parts[1].substring(0, equals));
        return new Place(kind, equals < 0 ? "" : decoded(parts[1].substring(equals + 1)),
            parts.length < 3 ? "" : parts[2]);
    }

    private static String local(final String name) {
        return name.substring(name.indexOf(':') + 1);
    }

    private static String decoded(final String text) {
        try {
            // A plus sign stands for itself in a path.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }
}
