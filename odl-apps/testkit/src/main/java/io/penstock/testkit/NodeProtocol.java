// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The definition of the protocol between the controller and the programs of a node, and its samples, for tests of the
 * modules beside {@code model}. Immutable.
 */
public final class NodeProtocol {
    /** The definition. */
    public static final NodeProtocol DEFINED = new NodeProtocol(Path.of("../model/src/main/protocol"));

    private static final String CONTROLLER = "controller";
    private static final String PREFIX = "penstock-";
    private static final String ID = "3f0c6d1e-8f8e-4d6a-9d52-0a4f5b6c7d8e ";
    private static final String DEFINITIONS = "$defs";

    private final ObjectMapper mapper = new ObjectMapper();
    private final JsonNode definition;
    private final SortedMap<String, JsonNode> keys = new TreeMap<>();
    private final SortedMap<String, JsonNode> samples = new TreeMap<>();

    /** A value that a key may have. {@code value} is its text in the database. */
    public record Sample(String key, String variant, String value) { }

    private NodeProtocol(final Path folder) {
        definition = read(folder.resolve("node-protocol.schema.json"));
        definition.path("tables").forEach(table -> table.path("keys").fields().forEachRemaining(key -> {
            keys.put(key.getKey(), key.getValue());
            samples.put(key.getKey(), read(folder.resolve("samples").resolve(name(key.getKey()) + ".json")));
        }));
    }

    private JsonNode read(final Path file) {
        try {
            return mapper.readTree(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonNode of(final Map<String, JsonNode> content, final String key) {
        return requireNonNull(content.get(key), key);
    }

    private static String name(final String key) {
        return key.substring(PREFIX.length());
    }

    /** The number of the protocol. */
    public int version() {
        return definition.path("version").intValue();
    }

    /** All keys. */
    public Set<String> keys() {
        return Set.copyOf(keys.keySet());
    }

    /** The keys of a table that the controller writes. */
    public Set<String> ordersOf(final String table) {
        final Set<String> orders = new HashSet<>();
        definition.path("tables").path(table).path("keys").fieldNames().forEachRemaining(key -> {
            if (isOrder(key)) {
                orders.add(key);
            }
        });
        return Set.copyOf(orders);
    }

    private boolean isOrder(final String key) {
        return CONTROLLER.equals(of(keys, key).path("written-by").path(0).textValue());
    }

    /** The words of a group, {@code names} or {@code network}, by their names. */
    public Map<String, String> words(final String group) {
        final SortedMap<String, String> words = new TreeMap<>();
        definition.path(group).fields().forEachRemaining(word ->
            words.put(word.getKey(), word.getValue().path("value").textValue()));
        return Map.copyOf(words);
    }

    /** What a member of an object of the definition may be. */
    public Set<String> choices(final String object, final String member) {
        final Set<String> choices = new HashSet<>();
        definition.path(DEFINITIONS).path(object).path("properties").path(member).path("enum")
            .forEach(choice -> choices.add(choice.textValue()));
        return Set.copyOf(choices);
    }

    /** What is a constant for a key or a name. */
    public static String constant(final String keyOrName) {
        return keyOrName.replaceFirst("^" + PREFIX, "").replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** The samples of all values that the programs of a node write, each as {@code dns-state/usual}. */
    public SortedMap<String, Sample> writtenByNodes() {
        return samples(false);
    }

    /** The samples of all values that the controller writes, likewise. */
    public SortedMap<String, Sample> writtenByController() {
        return samples(true);
    }

    private SortedMap<String, Sample> samples(final boolean byController) {
        final SortedMap<String, Sample> chosen = new TreeMap<>();
        keys.keySet().forEach(key -> {
            if (byController == isOrder(key)) {
                of(samples, key).fields().forEachRemaining(variant -> chosen.put(name(key) + '/' + variant.getKey(),
                    new Sample(key, variant.getKey(), text(form(key), variant.getValue()))));
            }
        });
        return chosen;
    }

    private String form(final String key) {
        return of(keys, key).path("form").textValue();
    }

    private static String text(final String form, final JsonNode content) {
        return switch (form) {
            case "text" -> content.textValue();
            case "json" -> content.toString();
            case "id-json" -> ID + content;
            default -> throw new IllegalArgumentException(form);
        };
    }

    /**
     * Checks a value that somebody has written: it keeps to the definition and is the sample.
     *
     * @param sample such as {@code dns/full}
     * @param value the text in the database
     */
    public void check(final String sample, final String value) {
        final String key = PREFIX + sample.substring(0, sample.indexOf('/'));
        final JsonNode content = content(key, value);
        validate(key, content);
        final JsonNode wanted = of(samples, key).path(sample.substring(sample.indexOf('/') + 1));
        if (!content.equals(wanted)) {
            throw new AssertionError(sample + " is " + wanted + ", and was written as " + content);
        }
    }

    /** Checks that a value keeps to the definition of its key. */
    public void checkForm(final String key, final String value) {
        validate(key, content(key, value));
    }

    private JsonNode content(final String key, final String value) {
        final String form = form(key);
        try {
            return form.equals("text") ? mapper.getNodeFactory().textNode(value)
                : mapper.readTree(form.equals("json") ? value : value.substring(ID.length()));
        } catch (JsonProcessingException e) {
            throw new AssertionError(key + " is not JSON: " + value, e);
        }
    }

    private void validate(final String key, final JsonNode content) {
        final ObjectNode root = mapper.createObjectNode();
        root.put("$schema", definition.path("$schema").textValue());
        root.put("$ref", "#/$defs/" + name(key));
        root.set(DEFINITIONS, definition.path(DEFINITIONS));
        final JsonSchema schema = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(root);
        final Set<ValidationMessage> problems = schema.validate(content);
        if (!problems.isEmpty()) {
            throw new AssertionError(key + ": " + problems + " in " + content);
        }
    }
}
