// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.penstock.pipeline.intent.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.model.api.ChoiceSchemaNode;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.LeafSchemaNode;
import org.opendaylight.yangtools.yang.model.api.TypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.BooleanTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.EnumTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.RangeRestrictedTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.UnionTypeDefinition;

/** Each default of the model is the one that is read, and there is no second one in the code. */
class DefaultsTest {
    /** One entry of each list and container, with what it needs. A router says that it is nothing else. */
    private static final String EVERYTHING = """
        {"node": [{"name": "n", "port": [{"name": "p", "role": "access"}]}],
         "backbone": {"interface": [{"node": "n", "port": "u", "prefix": "192.0.2.0/24", "address": "192.0.2.2"}]},
         "pool": [{"name": "p", "prefix": ["198.51.100.0/24"]}],
         "function": [
           {"name": "f", "node": "n", "health-check": {}, "instance": [{"name": "i"}, {"name": "j"}],
            "canary": {"version": "2", "instance": ["j"], "tolerance": {}}},
           {"name": "r", "node": "n", "mirror": false, "nsh": false, "second-output": false,
            "routed": {"inside": {}, "outside": {}}}],
         "tenant": [{"name": "t",
           "attachment": [{"name": "a", "node": "n", "port": "p", "vlan": 1}],
           "subnet": [{"name": "s", "prefix": "10.0.0.0/24", "gateway": "10.0.0.1"}],
           "nat": {"deterministic": [{"inside-prefix": "10.0.0.0/25", "public-prefix": "203.0.113.0/28"}],
                   "port-block": [{"inside-prefix": "10.0.0.128/25", "public-prefix": "203.0.113.16/28"}]},
           "chain-rule": [{"name": "c", "priority": 1, "acl": "l"}],
           "dhcp": {"subnet": [{"prefix": "10.0.0.0/24"}]},
           "dns": {"domain": "example.net", "record": [{"name": "www", "type": "A", "data": "10.0.0.5"}],
                   "upstream": [{"address": "10.0.0.53"}]},
           "ipv6": {"subnet": [{"prefix": "2001:db8::/64", "router-advertisement": {}}]}, "quota": {}}]}""";
    /** Paths of leaves, such as {@code tenant/subnet/mtu}, with their defaults. */
    private static final SortedMap<String, JsonPrimitive> DEFAULTS = new TreeMap<>();
    /** The same model, in which all of these leaves have other defaults. */
    private static final EffectiveModelContext OTHER;

    static {
        final StringBuilder deviations = new StringBuilder();
        find((DataNodeContainer) NetworkReaderTest.MODELS.findDataTreeChild(Network.QNAME).orElseThrow(), "",
            "/ps:network", deviations);
        OTHER = ChangedModels.with("""
            module other-defaults { yang-version 1.1; namespace "urn:other"; prefix od;
              import penstock { prefix ps; } %s }""".formatted(deviations));
    }

    private static void find(final DataNodeContainer in, final String path, final String identifier,
            final StringBuilder deviations) {
        for (final DataSchemaNode child : in.getChildNodes()) {
            final String name = child.getQName().getLocalName();
            final String below = identifier + "/ps:" + name;
            if (child instanceof ChoiceSchemaNode choice) {
                choice.getCases().forEach(each -> find(each, path, below + "/ps:" + each.getQName().getLocalName(),
                    deviations));
            } else if (child instanceof DataNodeContainer container) {
                find(container, path + name + "/", below, deviations);
            } else if (child instanceof LeafSchemaNode leaf && leaf.getType().getDefaultValue().isPresent()) {
                final String value = leaf.getType().getDefaultValue().orElseThrow().toString();
                DEFAULTS.put(path + name, leaf.getType() instanceof BooleanTypeDefinition
                    ? new JsonPrimitive(Boolean.valueOf(value)) : isNumber(value)
                    ? new JsonPrimitive(Integer.valueOf(value)) : new JsonPrimitive(value));
                deviations.append("deviation ").append(below).append(" { deviate replace { default \"")
                    .append(other(leaf.getType(), value)).append("\"; } }\n");
            }
        }
    }

    private static boolean isNumber(final String text) {
        return text.matches("[0-9]+");
    }

    /** Another value of a type. */
    private static String other(final TypeDefinition<?> type, final String value) {
        if (type instanceof BooleanTypeDefinition) {
            return Boolean.toString(!Boolean.parseBoolean(value));
        }
        if (type instanceof EnumTypeDefinition words) {
            return words.getValues().stream().map(EnumTypeDefinition.EnumPair::getName)
                .filter(word -> !word.equals(value)).findFirst().orElseThrow();
        }
        if (type instanceof RangeRestrictedTypeDefinition<?, ?> number) {
            final long most = ((Number) number.getRangeConstraint().orElseThrow().getAllowedRanges().span()
                .upperEndpoint()).longValue();
            return Long.toString(Long.parseLong(value) + (Long.parseLong(value) < most ? 1 : -1));
        }
        return type instanceof UnionTypeDefinition ? Long.toString(Long.parseLong(value) + 1)
            : value.substring(0, value.length() - 1) + "9";
    }

    static Stream<String> defaults() {
        return DEFAULTS.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("defaults")
    void isReadFromTheModel(final String path) throws Exception {
        final SortedMap<String, JsonPrimitive> others = new TreeMap<>(DEFAULTS);
        others.remove(path);
        final String document = with(others);
        assertThat(read(OTHER, document)).as(path).isNotEqualTo(read(NetworkReaderTest.MODELS, document));
    }

    @Test
    void sayingThemChangesNothing() throws Exception {
        assertThat(DEFAULTS).hasSizeGreaterThan(40);
        final SortedMap<String, JsonPrimitive> said = new TreeMap<>(DEFAULTS);
        // A limit of leases that is configured is more than its default: it refuses changes.
        said.remove("tenant/quota/leases");
        assertThat(read(NetworkReaderTest.MODELS, with(said)))
            .isEqualTo(read(NetworkReaderTest.MODELS, with(new TreeMap<>())));
    }

    /** The document with these leaves wherever their entries are. */
    private static String with(final SortedMap<String, JsonPrimitive> leaves) {
        final JsonObject network = JsonParser.parseString(EVERYTHING).getAsJsonObject();
        leaves.forEach((path, value) -> {
            List<JsonObject> entries = List.of(network);
            final String[] names = path.split("/");
            for (int index = 0; index + 1 < names.length; index++) {
                final List<JsonObject> below = new ArrayList<>();
                for (final JsonObject entry : entries) {
                    below.addAll(below(entry, names[index]));
                }
                entries = below;
            }
            assertThat(entries).as(path).isNotEmpty();
            final String leaf = names[names.length - 1];
            entries.stream().filter(entry -> !entry.has(leaf)).forEach(entry -> entry.add(leaf, value));
        });
        return network.toString();
    }

    private static List<JsonObject> below(final JsonObject entry, final String name) {
        final JsonElement below = entry.has(name) ? entry.get(name) : new JsonArray();
        return below.isJsonArray() ? below.getAsJsonArray().asList().stream().map(JsonElement::getAsJsonObject).toList()
            : List.of(below.getAsJsonObject());
    }

    private static Snapshot read(final EffectiveModelContext models, final String network) throws Exception {
        return new NetworkReader(() -> models).read(
            Optional.of(NetworkReaderTest.parse("{\"penstock:network\": " + network + "}")), Optional.empty());
    }
}
