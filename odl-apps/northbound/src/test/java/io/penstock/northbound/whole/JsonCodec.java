// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.common.QNameModule;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifier;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifierWithPredicates;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.PathArgument;
import org.opendaylight.yangtools.yang.data.api.schema.ContainerNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapEntryNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.data.api.schema.stream.NormalizedNodeWriter;
import org.opendaylight.yangtools.yang.data.codec.gson.JSONCodecFactory;
import org.opendaylight.yangtools.yang.data.codec.gson.JSONCodecFactorySupplier;
import org.opendaylight.yangtools.yang.data.codec.gson.JSONNormalizedNodeStreamWriter;
import org.opendaylight.yangtools.yang.data.codec.gson.JsonParserStream;
import org.opendaylight.yangtools.yang.data.impl.schema.ImmutableNodes;
import org.opendaylight.yangtools.yang.data.impl.schema.ImmutableNormalizedNodeStreamWriter;
import org.opendaylight.yangtools.yang.data.impl.schema.NormalizedNodeResult;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.meta.EffectiveStatement;
import org.opendaylight.yangtools.yang.model.api.stmt.KeyEffectiveStatement;
import org.opendaylight.yangtools.yang.model.util.SchemaInferenceStack;

/** Paths and bodies of RESTCONF requests for lists with keys that are strings, by the codec that RESTCONF uses. */
final class JsonCodec {
    private final EffectiveModelContext model;
    private final JSONCodecFactory factory;

    JsonCodec(final EffectiveModelContext model) {
        this.model = model;
        factory = JSONCodecFactorySupplier.RFC7951.getShared(model);
    }

    /**
     * Where a path leads.
     *
     * @param owner the schema of what it is in
     */
    record Place(YangInstanceIdentifier path, SchemaInferenceStack owner) {
        boolean isEntry() {
            return path.getLastPathArgument() instanceof NodeIdentifierWithPredicates;
        }

        YangInstanceIdentifier root() {
            return YangInstanceIdentifier.create(path.getPathArguments().get(0));
        }

        Optional<YangInstanceIdentifier> parent() {
            return Optional.ofNullable(path.getParent()).filter(parent -> !parent.isEmpty());
        }
    }

    /** What a POST adds. */
    record Child(YangInstanceIdentifier parent, YangInstanceIdentifier path, NormalizedNode data) { }

    /** The name of something of a module. */
    QName name(final String module, final String name) {
        return QName.create(module(module), name);
    }

    private QNameModule module(final String name) {
        return model.findModules(name).iterator().next().getQNameModule();
    }

    /** Where a path such as {@code penstock:network/tenant=acme} leads. */
    Place place(final String path) {
        final SchemaInferenceStack stack = SchemaInferenceStack.of(model);
        SchemaInferenceStack owner = stack.copy();
        final List<PathArgument> arguments = new ArrayList<>();
        QNameModule module = null;
        for (final String segment : path.split("/")) {
            final String[] keyed = segment.split("=", 2);
            final String[] name = keyed[0].split(":", 2);
            if (name.length == 2) {
                module = module(name[0]);
            }
            owner = stack.copy();
            final QName node = QName.create(module, name[name.length - 1]);
            final EffectiveStatement<?, ?> statement = stack.enterDataTree(node);
            arguments.add(new NodeIdentifier(node));
            if (keyed.length == 2) {
                arguments.add(NodeIdentifierWithPredicates.of(node, statement
                    .findFirstEffectiveSubstatementArgument(KeyEffectiveStatement.class).orElseThrow().iterator()
                    .next(), keyed[1]));
            }
        }
        return new Place(YangInstanceIdentifier.create(arguments), owner);
    }

    /** The body of a PUT or PATCH. */
    NormalizedNode parse(final Place place, final String document) {
        final NormalizedNode data = parse(place.owner(), document);
        return place.isEntry() ? only((MapNode) data) : data;
    }

    private NormalizedNode parse(final SchemaInferenceStack owner, final String document) {
        final NormalizedNodeResult result = new NormalizedNodeResult();
        // This parser takes single quotes, the codec does not.
        try (JsonParserStream stream = JsonParserStream.create(ImmutableNormalizedNodeStreamWriter.from(result),
                factory, owner.toInference())) {
            stream.parse(new JsonReader(new StringReader(JsonParser.parseString(document).toString())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return result.getResult();
    }

    /** The body of a POST with one child. */
    Child parseChild(final Place place, final String document) {
        final SchemaInferenceStack stack = place.owner().copy();
        stack.enterDataTree(place.path().getLastPathArgument().getNodeType());
        final NormalizedNode data = parse(stack, document);
        final YangInstanceIdentifier child = place.path().node(data.getIdentifier());
        return data instanceof MapNode list ? new Child(child, child.node(only(list).getIdentifier()), only(list))
            : new Child(place.path(), child, data);
    }

    private static MapEntryNode only(final MapNode list) {
        if (list.size() != 1) {
            throw new IllegalArgumentException("not one entry: " + list);
        }
        return list.body().iterator().next();
    }

    /** Nothing but what leads to a place, from the top. */
    NormalizedNode emptyDownTo(final YangInstanceIdentifier path) {
        return ImmutableNodes.fromInstanceId(model, path);
    }

    /** A list without entries. */
    NormalizedNode empty(final YangInstanceIdentifier list) {
        return ImmutableNodes.mapNode((NodeIdentifier) list.getLastPathArgument());
    }

    /** The body of an answer. */
    JsonObject json(final Place place, final NormalizedNode data) {
        return write(place.owner(), data instanceof MapEntryNode entry
            ? ImmutableNodes.mapNodeBuilder(entry.getIdentifier().getNodeType()).withChild(entry).build() : data);
    }

    /** The input of an operation. */
    ContainerNode parseInput(final QName operation, final String input) {
        final SchemaInferenceStack stack = SchemaInferenceStack.of(model);
        stack.enterSchemaTree(operation);
        return (ContainerNode) parse(stack, "{'" + model.findModule(operation.getModule()).orElseThrow().getName()
            + ":input': " + input + "}");
    }

    /** The output of an operation. */
    JsonObject output(final QName operation, final ContainerNode output) {
        final SchemaInferenceStack stack = SchemaInferenceStack.of(model);
        stack.enterSchemaTree(operation);
        return output == null ? new JsonObject() : content(stack, output);
    }

    /** What a notification tells. */
    JsonObject notification(final ContainerNode body) {
        return content(SchemaInferenceStack.of(model), body);
    }

    /** What is in a container, by names without their module. */
    private JsonObject content(final SchemaInferenceStack owner, final ContainerNode container) {
        final QName name = container.getIdentifier().getNodeType();
        owner.enterSchemaTree(name);
        final StringWriter text = new StringWriter();
        try (JsonWriter json = new JsonWriter(text)) {
            json.beginObject();
            try (NormalizedNodeWriter writer = NormalizedNodeWriter.forStreamWriter(JSONNormalizedNodeStreamWriter
                    .createNestedWriter(factory, owner.toInference(), name.getNamespace(), json))) {
                for (final NormalizedNode child : container.body()) {
                    writer.write(child);
                }
            }
            json.endObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return JsonParser.parseString(text.toString()).getAsJsonObject();
    }

    private JsonObject write(final SchemaInferenceStack owner, final NormalizedNode data) {
        final StringWriter text = new StringWriter();
        try (NormalizedNodeWriter writer = NormalizedNodeWriter.forStreamWriter(
                JSONNormalizedNodeStreamWriter.createExclusiveWriter(factory, owner.toInference(), null,
                    new JsonWriter(text)))) {
            writer.write(data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return JsonParser.parseString(text.toString()).getAsJsonObject();
    }
}
