// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static java.util.Objects.requireNonNull;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.penstock.requests.Refusal.Problem;
import io.penstock.requests.Steps.Step;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.access.control.list.rev190304.Acls;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.common.QNameModule;
import org.opendaylight.yangtools.yang.model.api.CaseSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ChoiceSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ContainerSchemaNode;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.LeafListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.LeafSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.RpcDefinition;
import org.opendaylight.yangtools.yang.model.api.TypedDataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.type.EmptyTypeDefinition;
import org.opendaylight.yangtools.yang.model.util.SchemaInferenceStack;

/** One pass through one body, which keeps nothing of it but faults. Not for several threads. */
final class BodyReader {
    private static final Set<QName> TREES = Set.of(Network.QNAME, Acls.QNAME);
    private static final String NO_INPUT = "the body is not an object with the member input alone";

    private final EffectiveModelContext context;
    private final JsonReader json;
    private final Set<String> seeking;
    private final SchemaInferenceStack stack;
    private final Values values;
    private final List<Fault> faults = new ArrayList<>();
    private @Nullable Fault sought;
    private int more;

    /** A rule that is broken, at a place whose keys may come later. */
    private record Fault(Trail at, String leaf, String rule) {
        String text() {
            return at.tell(leaf, rule);
        }
    }

    /**
     * A reader of a body that has not been read.
     *
     * @param seeking names of leaves, of which the first is to be found
     */
    BodyReader(final EffectiveModelContext context, final JsonReader json, final Set<String> seeking) {
        this.context = requireNonNull(context);
        this.json = requireNonNull(json);
        this.seeking = requireNonNull(seeking);
        stack = SchemaInferenceStack.of(context);
        values = new Values(context, stack);
    }

    /** Whether a tree is of the configuration of Penstock. */
    static boolean isOurs(final DataSchemaNode tree) {
        return TREES.contains(tree.getQName());
    }

    /** A rule of the first leaf that was sought, after the body was read. */
    Optional<Refusal> ofSought(final String rule) {
        return Optional.ofNullable(sought).map(found ->
            new Refusal(Refusal.BAD_REQUEST, "invalid-value", found.at().tell(found.leaf(), rule), path(found)));
    }

    /**
     * Reads the body.
     *
     * @param steps that lead to what the body is in
     * @param target what the body is; empty if it is a child of what the steps lead to
     * @return why it is refused
     * @throws IOException when it is no JSON
     */
    Optional<Refusal> read(final List<Step> steps, final Optional<DataSchemaNode> target) throws IOException {
        Trail at = null;
        for (final Step step : steps) {
            final QName name = step.node().getQName();
            stack.enterDataTree(name);
            at = at == null ? Trail.tree(name) : step.node() instanceof ListSchemaNode list
                ? entry(at, list, step.keys()) : at.inside(name);
        }
        if (json.peek() != JsonToken.BEGIN_OBJECT) {
            return Optional.of(Refusal.malformed("the body is not an object with one member"));
        }
        json.beginObject();
        if (!json.hasNext()) {
            return Optional.of(Refusal.malformed("the body has no member"));
        }
        final Optional<DataNodeContainer> parent = steps.isEmpty() ? Optional.empty()
            : Optional.of(steps.get(steps.size() - 1).node()).filter(DataNodeContainer.class::isInstance)
                .map(DataNodeContainer.class::cast);
        final boolean isOurs = steps.isEmpty() || isOurs(steps.get(0).node());
        return root(at, parent, isOurs, target).or(this::refusal);
    }

    /**
     * Reads the input of an RPC.
     *
     * @throws IOException when it is no JSON
     */
    Optional<Refusal> readInput(final RpcDefinition rpc) throws IOException {
        stack.enterSchemaTree(rpc.getQName());
        stack.enterSchemaTree(rpc.getInput().getQName());
        if (json.peek() != JsonToken.BEGIN_OBJECT) {
            return Optional.of(Refusal.malformed(NO_INPUT));
        }
        json.beginObject();
        // OpenDaylight takes it without the name of the module, too.
        final String input = rpc.getInput().getQName().getLocalName();
        final List<String> names = List.of(input, Bodies.OPERATIONS + ":" + input);
        if (!json.hasNext() || !names.contains(json.nextName()) || json.peek() != JsonToken.BEGIN_OBJECT) {
            return Optional.of(Refusal.malformed(NO_INPUT));
        }
        members(Trail.tree(rpc.getQName()).inside(rpc.getQName()), rpc.getInput());
        if (json.hasNext()) {
            return Optional.of(Refusal.malformed(NO_INPUT));
        }
        json.endObject();
        return json.peek() == JsonToken.END_DOCUMENT ? refusal() : Optional.of(Refusal.malformed(NO_INPUT));
    }

    /** Reads the only member. Of those of others' trees only the form is judged. */
    private Optional<Refusal> root(final @Nullable Trail outer, final Optional<DataNodeContainer> parent,
            final boolean isOurs, final Optional<DataSchemaNode> target) throws IOException {
        final String name = json.nextName();
        final Optional<QNameModule> module = parent.map(each -> ((DataSchemaNode) each).getQName().getModule());
        final Optional<DataSchemaNode> node = enter(name, module);
        if (node.isPresent() && target.isPresent() && !target.equals(node)) {
            return Optional.of(Refusal.invalid("the body has " + name + ", and the path leads to "
                + target.orElseThrow().getQName().getLocalName()));
        }
        if (node.isPresent() && parent.orElse(null) instanceof ListSchemaNode list
                && list.getKeyDefinition().contains(node.orElseThrow().getQName())) {
            return Optional.of(Refusal.invalid(name + ": a key is no child by itself; write the entry"));
        }
        if (node.isPresent() && isList(node.orElseThrow())) {
            // RESTCONF never answers a POST of an empty list (BatchedExistenceCheck), and keeps its thread.
            final Optional<Refusal> number = entries(node.orElseThrow(), outer, isOurs, target.isPresent());
            if (number.isPresent()) {
                return number;
            }
        } else if (node.isEmpty()) {
            if (isOurs && outer != null) {
                add(outer, name, "is not in the model");
            }
            json.skipValue();
        } else if (isOurs && (outer != null || isOurs(node.orElseThrow()))) {
            value(node.orElseThrow(), outer);
        } else {
            json.skipValue();
        }
        if (json.hasNext()) {
            return Optional.of(Refusal.malformed("the body has several members, " + TypeRules.shortened(name) + " and "
                + TypeRules.shortened(json.nextName()) + ": send a request for each"));
        }
        json.endObject();
        return json.peek() == JsonToken.END_DOCUMENT ? Optional.empty()
            : Optional.of(Refusal.malformed("the body goes on behind its end"));
    }

    /** Reads a list that is the body. */
    private Optional<Refusal> entries(final DataSchemaNode node, final @Nullable Trail outer, final boolean isOurs,
            final boolean isOne) throws IOException {
        final String name = node.getQName().getLocalName();
        final Set<List<String>> entries = new HashSet<>();
        int number = 0;
        if (json.peek() == JsonToken.BEGIN_ARRAY) {
            json.beginArray();
            for (; json.hasNext(); number++) {
                if (isOurs && outer != null) {
                    item(node, outer, entries);
                } else {
                    json.skipValue();
                }
            }
            json.endArray();
        } else if (isOurs && outer != null) {
            number = 1;
            value(node, outer);
        } else {
            number = 1;
            json.skipValue();
        }
        if (number == 0 || isOne && number > 1) {
            final String rule = number == 0 ? "has no entry" : "has " + number + " entries, and the path leads to one";
            return Optional.of(Refusal.invalid(outer == null ? name + ": " + rule : outer.tell(name, rule)));
        }
        return Optional.empty();
    }

    private Optional<Refusal> refusal() {
        final List<Problem> problems = new ArrayList<>();
        for (final Fault fault : faults) {
            final boolean isLast = problems.size() + 1 == faults.size();
            problems.add(new Problem("invalid-value", fault.text() + (isLast && more > 0 ? "; and " + more + " more"
                : ""), path(fault)));
        }
        return problems.isEmpty() ? Optional.empty() : Optional.of(new Refusal(Refusal.BAD_REQUEST, problems));
    }

    private String path(final Fault fault) {
        return fault.at().path(context) + "/" + fault.leaf();
    }

    private static Trail entry(final Trail at, final ListSchemaNode list, final List<String> keys) {
        final Trail entry = at.entry(list);
        final List<QName> names = list.getKeyDefinition();
        for (int index = 0; index < Math.min(names.size(), keys.size()); index++) {
            entry.learn(names.get(index).getLocalName(), keys.get(index));
        }
        return entry;
    }

    /** Reads the members of an object. */
    private void members(final Trail at, final DataNodeContainer in) throws IOException {
        final Set<QName> members = new LinkedHashSet<>();
        json.beginObject();
        while (json.hasNext()) {
            final String name = json.nextName();
            final Optional<DataSchemaNode> node =
                enter(name, Optional.of(((DataSchemaNode) in).getQName().getModule()));
            if (node.isPresent()) {
                if (members.add(node.orElseThrow().getQName())) {
                    value(node.orElseThrow(), at);
                } else {
                    add(at, name, "is there twice");
                    json.skipValue();
                }
                stack.exit();
            } else {
                // Metadata (RFC 7952) is RESTCONF's.
                if (!name.startsWith("@")) {
                    add(at, name, "is not in the model");
                }
                json.skipValue();
            }
        }
        json.endObject();
        if (members.size() > 1) {
            choices(at, in, members);
        }
    }

    /** Of the cases of a choice there is one (RFC 7950, section 7.9). */
    private void choices(final Trail at, final DataNodeContainer in, final Set<QName> members) {
        for (final DataSchemaNode child : in.getChildNodes()) {
            if (child instanceof ChoiceSchemaNode choice) {
                final List<String> chosen = new ArrayList<>();
                for (final CaseSchemaNode each : choice.getCases()) {
                    members.stream().filter(member -> each.findDataTreeChild(member).isPresent()).findFirst()
                        .ifPresent(member -> chosen.add(member.getLocalName()));
                    choices(at, each, members);
                }
                if (chosen.size() > 1) {
                    add(at, chosen.get(1), "excludes " + chosen.get(0) + ", and both are given");
                }
            }
        }
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

    private static boolean isList(final DataSchemaNode node) {
        return node instanceof ListSchemaNode || node instanceof LeafListSchemaNode;
    }

    /** Reads a node, which is a tree if nothing is around it. */
    private void value(final DataSchemaNode node, final @Nullable Trail outer) throws IOException {
        final String name = node.getQName().getLocalName();
        final JsonToken token = json.peek();
        final Trail at = outer == null ? Trail.tree(node.getQName()) : outer;
        if (seeking.contains(name) && sought == null) {
            sought = new Fault(at, name, "");
        }
        if (isList(node) || node instanceof LeafSchemaNode && token == JsonToken.BEGIN_ARRAY) {
            list(node, at, token);
        } else if (node instanceof ContainerSchemaNode container && token == JsonToken.BEGIN_OBJECT) {
            members(outer == null ? at : at.inside(node.getQName()), container);
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
        final String name = node.getQName().getLocalName();
        final Set<List<String>> entries = new HashSet<>();
        if (token == JsonToken.BEGIN_ARRAY) {
            int number = 0;
            json.beginArray();
            for (; json.hasNext(); number++) {
                item(node, at, entries);
            }
            json.endArray();
            if (node instanceof LeafSchemaNode && number != 1) {
                add(at, name, "is not one value");
            }
        } else if (token == JsonToken.BEGIN_OBJECT && node instanceof ListSchemaNode) {
            item(node, at, entries);
        } else {
            add(at, name, "is not a list");
            json.skipValue();
        }
    }

    /** Reads an entry, or a value of a leaf-list. */
    private void item(final DataSchemaNode node, final Trail at, final Set<List<String>> entries) throws IOException {
        final String name = node.getQName().getLocalName();
        if (!(node instanceof ListSchemaNode list)) {
            final Optional<String> value = leaf((TypedDataSchemaNode) node, at);
            if (node instanceof LeafListSchemaNode && value.isPresent()
                    && !entries.add(List.of(value.orElseThrow()))) {
                add(at, name, TypeRules.shortened(value.orElseThrow()) + " is there twice");
            }
        } else if (json.peek() == JsonToken.BEGIN_OBJECT) {
            final Trail entry = at.entry(list);
            members(entry, list);
            entry.unknownKeys().forEach(key -> add(entry, key, "is missing"));
            // The datastore takes the last one.
            if (entry.unknownKeys().isEmpty() && !entries.add(entry.knownKeys())) {
                add(entry, list.getKeyDefinition().get(0).getLocalName(), "is the key of an entry before, too");
            }
        } else {
            add(at, name, "is not an object with members");
            json.skipValue();
        }
    }

    /** Reads a value; empty if there is none. */
    private Optional<String> leaf(final TypedDataSchemaNode leaf, final Trail at) throws IOException {
        final String name = leaf.getQName().getLocalName();
        final JsonToken token = json.peek();
        if (leaf.getType() instanceof EmptyTypeDefinition) {
            json.skipValue();
        } else if (token == JsonToken.STRING || token == JsonToken.NUMBER || token == JsonToken.BOOLEAN) {
            final String text = token == JsonToken.BOOLEAN ? Boolean.toString(json.nextBoolean()) : json.nextString();
            at.learn(name, text);
            if (!values.isOfItsType(leaf, text)) {
                add(at, name, () -> values.broken(leaf, text));
            }
            return Optional.of(text);
        } else {
            // It is named, if not by its value.
            at.learn(name, "");
            add(at, name, "is not a value");
            json.skipValue();
        }
        return Optional.empty();
    }

    private void add(final Trail at, final String leaf, final String rule) {
        add(at, leaf, () -> rule);
    }

    private void add(final Trail at, final String leaf, final Supplier<String> rule) {
        if (faults.size() < Refusal.MOST_PROBLEMS) {
            faults.add(new Fault(at, TypeRules.shortened(leaf), rule.get()));
        } else {
            more++;
        }
    }
}
