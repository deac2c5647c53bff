// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static io.penstock.southbound.ovsdb.NodeKeys.NODE_FUNCTIONS;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads what a node has for functions from the row of its bridge. Stateless. */
final class FunctionsReader {
    private static final String ROUTED = "routed";
    private static final Set<String> MODES = Set.of("transparent", ROUTED);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private FunctionsReader() {
        // Stateless.
    }

    /** Nothing when the node has not said so; an {@link OvsdbException} when what it says makes no sense. */
    static Optional<NodeFunctions> read(final Optional<TableRow> bridge) {
        final Object text = bridge.<Object>map(row -> row.map(OvsTables.EXTERNAL_IDS).get(NODE_FUNCTIONS)).orElse("");
        if (!(text instanceof String json) || json.isBlank()) {
            return Optional.empty();
        }
        final JsonNode root;
        try {
            root = MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw new OvsdbException(NODE_FUNCTIONS + " is not JSON: " + e.getOriginalMessage(), e);
        }
        return Optional.of(new NodeFunctions(cores(root.path("cores")), catalogue(root.path("functions"))));
    }

    private static Set<Integer> cores(final JsonNode list) {
        final Set<Integer> cores = new HashSet<>();
        for (final JsonNode core : list) {
            if (!core.isInt()) {
                throw new OvsdbException(NODE_FUNCTIONS + ": not a number of a core: " + core);
            }
            cores.add(core.intValue());
        }
        if (!list.isArray() || cores.isEmpty()) {
            throw new OvsdbException(NODE_FUNCTIONS + " names no cores");
        }
        return cores;
    }

    private static Map<String, NodeFunctions.Entry> catalogue(final JsonNode functions) {
        if (!functions.isObject()) {
            throw new OvsdbException(NODE_FUNCTIONS + " names no functions");
        }
        final Map<String, NodeFunctions.Entry> catalogue = new HashMap<>();
        functions.fields().forEachRemaining(function -> {
            final JsonNode shared = function.getValue().path("shared");
            if (!shared.isBoolean()) {
                throw new OvsdbException(
                    NODE_FUNCTIONS + " does not state whether " + function.getKey() + " is shared");
            }
            final String mode = function.getValue().path("mode").asText();
            if (!MODES.contains(mode)) {
                throw new OvsdbException(NODE_FUNCTIONS + " does not state the mode of " + function.getKey());
            }
            catalogue.put(function.getKey(), new NodeFunctions.Entry(shared.booleanValue(), ROUTED.equals(mode),
                function.getValue().path("outputs").asInt(1) == 2));
        });
        return catalogue;
    }
}
