// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.request;

import static java.util.Objects.requireNonNull;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.penstock.engine.request.Steps.Step;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.access.control.list.rev190304.Acls;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.common.QNameModule;
import org.opendaylight.yangtools.yang.data.codec.gson.JSONCodecFactory;
import org.opendaylight.yangtools.yang.data.codec.gson.JSONCodecFactorySupplier;
import org.opendaylight.yangtools.yang.model.api.ContainerSchemaNode;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.LeafListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.LeafSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.TypeDefinition;
import org.opendaylight.yangtools.yang.model.api.TypedDataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.type.EmptyTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.LeafrefTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.StringTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.UnionTypeDefinition;
import org.opendaylight.yangtools.yang.model.util.SchemaInferenceStack;

/**
 * Refuses JSON bodies of the configuration that RESTCONF would refuse, and names each value that is not of its type: by
 * its entry, its leaf and the rule. RESTCONF's parser tells the rule of the first one alone, and not where it is. Safe
 * for all threads.
 */
final class Bodies {
    private static final Set<QName> TREES = Set.of(Network.QNAME, Acls.QNAME);
    /** As many as the check at commit names. */
    private static final int MOST_NAMED = 10;

    private final Supplier<EffectiveModelContext> models;

    Bodies(final Supplier<EffectiveModelContext> models) {
        this.models = requireNonNull(models);
    }

    /**
     * Judges the body of a change.
     *
     * @param path below {@code /rests/data}, still percent-encoded
     * @param isChild whether the body is a child of what the path leads to, as that of a POST, or it is that itself
     * @return why it is refused; empty when it is good, and when RESTCONF is to tell what is wrong with it
     */
    Optional<Refusal> refusal(final String path, final boolean isChild, final byte[] body) {
        final EffectiveModelContext context = models.get();
        final Steps steps = Steps.of(context, path);
        final int outer = steps.steps().size() - (isChild ? 0 : 1);
        if (!steps.isWhole() || outer < 0) {
            return Optional.empty();
        }
        final Reading reading = new Reading(context,
            new JsonReader(new InputStreamReader(new ByteArrayInputStream(body), StandardCharsets.UTF_8)));
        try {
            reading.read(steps.steps().subList(0, outer));
        } catch (IOException e) {
            // It is no JSON.
            return Optional.empty();
        }
        return reading.refusal();
    }

    /** A rule that is broken, at a place whose keys may come later. */
    private record Fault(Trail at, String leaf, String rule) { }

    /** One pass through a body, which keeps nothing of it but faults. */
    private static final class Reading {
        private final EffectiveModelContext context;
        private final JSONCodecFactory codecs;
        private final SchemaInferenceStack stack;
        private final JsonReader json;
        private final IdentityHashMap<TypeDefinition<?>, List<Pattern>> patterns = new IdentityHashMap<>();
        private final List<Fault> faults = new ArrayList<>();
        private int more;

        Reading(final EffectiveModelContext context, final JsonReader json) {
            this.context = context;
            this.json = json;
            codecs = JSONCodecFactorySupplier.RFC7951.getShared(context);
            stack = SchemaInferenceStack.of(context);
        }

        Optional<Refusal> refusal() {
            if (faults.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(Refusal.invalid(String.join("; ", faults.stream()
                .map(fault -> fault.at().tell(fault.leaf(), fault.rule())).toList())
                + (more > 0 ? "; and " + more + " more" : "")));
        }

        /** Reads what is in the node to which the steps lead. */
        void read(final List<Step> steps) throws IOException {
            Trail at = Trail.top();
            Optional<QNameModule> module = Optional.empty();
            for (final Step step : steps) {
                final QName name = step.node().getQName();
                stack.enterDataTree(name);
                at = module.isEmpty() ? at : step.node() instanceof ListSchemaNode list
                    ? entry(at, list, step.keys()) : at.inside(name.getLocalName());
                module = Optional.of(name.getModule());
            }
            if (json.peek() == JsonToken.BEGIN_OBJECT && (module.isEmpty() || isOurs(steps.get(0).node()))) {
                json.beginObject();
                members(at, module);
            }
        }

        private static boolean isOurs(final DataSchemaNode tree) {
            return TREES.contains(tree.getQName());
        }

        private static Trail entry(final Trail at, final ListSchemaNode list, final List<String> keys) {
            final List<String> names = keyNames(list);
            final Trail entry = at.entry(list.getQName().getLocalName(), names);
            for (int index = 0; index < Math.min(names.size(), keys.size()); index++) {
                entry.learn(names.get(index), keys.get(index));
            }
            return entry;
        }

        private static List<String> keyNames(final ListSchemaNode list) {
            return list.getKeyDefinition().stream().map(QName::getLocalName).toList();
        }

        /** Reads the members of an object; without a module around them they are trees. */
        private void members(final Trail at, final Optional<QNameModule> outer) throws IOException {
            while (json.hasNext()) {
                final String name = json.nextName();
                final Optional<DataSchemaNode> node = enter(name, outer);
                if (node.isEmpty() || outer.isEmpty() && !isOurs(node.orElseThrow())) {
                    // A tree of others is none of ours, and metadata (RFC 7952) is RESTCONF's.
                    if (outer.isPresent() && !name.startsWith("@")) {
                        add(at, name, "is not in the model");
                    }
                    json.skipValue();
                } else {
                    value(node.orElseThrow(), at, outer.isEmpty());
                }
                if (node.isPresent()) {
                    stack.exit();
                }
            }
            json.endObject();
        }

        private Optional<DataSchemaNode> enter(final String name, final Optional<QNameModule> outer) {
            final String[] names = name.split(":", 2);
            final Optional<QNameModule> module = names.length == 2 ? Steps.module(context, names[0]) : outer;
            try {
                return module.isEmpty() ? Optional.empty() : Optional.of((DataSchemaNode) stack.enterDataTree(
                    QName.create(module.orElseThrow(), names[names.length - 1])));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        private void value(final DataSchemaNode node, final Trail at, final boolean isTree) throws IOException {
            final String name = node.getQName().getLocalName();
            final JsonToken token = json.peek();
            if (node instanceof ListSchemaNode || node instanceof LeafListSchemaNode
                    || node instanceof LeafSchemaNode && token == JsonToken.BEGIN_ARRAY) {
                list(node, at, token);
            } else if (node instanceof ContainerSchemaNode && token == JsonToken.BEGIN_OBJECT) {
                json.beginObject();
                members(isTree ? at : at.inside(name), Optional.of(node.getQName().getModule()));
            } else if (node instanceof LeafSchemaNode leaf) {
                leaf(leaf, at);
            } else if (node instanceof ContainerSchemaNode) {
                add(at, name, "is not an object with members");
                json.skipValue();
            } else {
                json.skipValue();
            }
        }

        /** RESTCONF takes the only entry of a list for the list, and a list of one value for the value. */
        private void list(final DataSchemaNode node, final Trail at, final JsonToken token) throws IOException {
            if (token == JsonToken.BEGIN_ARRAY) {
                json.beginArray();
                while (json.hasNext()) {
                    item(node, at);
                }
                json.endArray();
            } else if (token == JsonToken.BEGIN_OBJECT && node instanceof ListSchemaNode) {
                item(node, at);
            } else {
                add(at, node.getQName().getLocalName(), "is not a list");
                json.skipValue();
            }
        }

        private void item(final DataSchemaNode node, final Trail at) throws IOException {
            final String name = node.getQName().getLocalName();
            if (!(node instanceof ListSchemaNode list)) {
                leaf((TypedDataSchemaNode) node, at);
            } else if (json.peek() == JsonToken.BEGIN_OBJECT) {
                final Trail entry = at.entry(name, keyNames(list));
                json.beginObject();
                members(entry, Optional.of(node.getQName().getModule()));
                entry.unknownKeys().forEach(key -> add(entry, key, "is missing"));
            } else {
                add(at, name, "is not an object with members");
                json.skipValue();
            }
        }

        private void leaf(final TypedDataSchemaNode leaf, final Trail at) throws IOException {
            final String name = leaf.getQName().getLocalName();
            final JsonToken token = json.peek();
            if (leaf.getType() instanceof EmptyTypeDefinition) {
                json.skipValue();
            } else if (token == JsonToken.STRING || token == JsonToken.NUMBER || token == JsonToken.BOOLEAN) {
                final String text = token == JsonToken.BOOLEAN ? Boolean.toString(json.nextBoolean())
                    : json.nextString();
                at.learn(name, text);
                if (!isOfItsType(leaf, text)) {
                    add(at, name, () -> TypeRules.broken(leaf.getType() instanceof LeafrefTypeDefinition reference
                        ? stack.resolveLeafref(reference) : leaf.getType(), name, text));
                }
            } else {
                // It is named, if not by its value.
                at.learn(name, "");
                add(at, name, "is not a value");
                json.skipValue();
            }
        }

        @SuppressWarnings("checkstyle:IllegalCatch") // whatever the codec throws, RESTCONF would answer 400
        private boolean isOfItsType(final TypedDataSchemaNode leaf, final String text) {
            try {
                codecs.codecFor(leaf, stack).parseValue(null, text);
            } catch (RuntimeException e) {
                return false;
            }
            return isOfAllItsPatterns(leaf.getType(), text);
        }

        /** The codec knows those of the last type alone, which for addresses without a zone are letters and digits. */
        private boolean isOfAllItsPatterns(final TypeDefinition<?> type, final String text) {
            if (type instanceof StringTypeDefinition string) {
                return patterns.computeIfAbsent(string, each -> TypeRules.patterns(string)).stream()
                    .allMatch(pattern -> pattern.matcher(text).matches());
            }
            return !(type instanceof UnionTypeDefinition union)
                || union.getTypes().stream().anyMatch(each -> isOfAllItsPatterns(each, text));
        }

        private void add(final Trail at, final String leaf, final String rule) {
            add(at, leaf, () -> rule);
        }

        private void add(final Trail at, final String leaf, final Supplier<String> rule) {
            if (faults.size() < MOST_NAMED) {
                faults.add(new Fault(at, TypeRules.shortened(leaf), rule.get()));
            } else {
                more++;
            }
        }
    }
}
