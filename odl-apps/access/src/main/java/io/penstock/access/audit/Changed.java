// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.audit;

import com.google.common.hash.Hashing;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.access.Call;
import io.penstock.access.ChangedPaths;
import io.penstock.access.ChangedPaths.Part;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.mdsal.dom.api.DOMDataBroker;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier;
import org.opendaylight.yangtools.yang.data.api.schema.DataContainerNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapEntryNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.LeafSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.Module;
import org.opendaylight.yangtools.yang.model.api.type.StringTypeDefinition;

/**
 * What a change of the configuration changes: the places that it names, as they are before and after it. A place is
 * read as far down as its keys are text, and searched in what was read from there. Safe for all threads.
 */
public final class Changed {
    /** Bytes of all that was before, and of all that is after. */
    private static final int MOST_BYTES = 32 << 10;
    private static final long PATIENCE_SECONDS = 10;

    private final DOMDataBroker broker;
    private final Supplier<EffectiveModelContext> models;

    /** What was read: by path, what is there, if anything is. */
    public record State(Map<List<Part>, Optional<NormalizedNode>> places) { }

    /** Reads a datastore. */
    public Changed(final DOMDataBroker broker, final Supplier<EffectiveModelContext> models) {
        this.broker = broker;
        this.models = models;
    }

    /** The places that a request names, as they are now. One that cannot be read is left out. */
    public State read(final Call call) {
        return again(ChangedPaths.of(call, this::keys));
    }

    /** The places of a state, as they are now. */
    public State again(final State before) {
        return again(List.copyOf(before.places().keySet()));
    }

    private State again(final List<List<Part>> paths) {
        final Map<List<Part>, Optional<NormalizedNode>> places = new LinkedHashMap<>();
        paths.forEach(path -> places.put(path, place(path)));
        return new State(places);
    }

    /** What differs, as an object with the members before and after, of bounded length. */
    public static JsonObject difference(final State before, final State after) {
        final JsonArray olds = new JsonArray();
        final JsonArray news = new JsonArray();
        before.places().forEach((path, old) -> Plain.difference(old, after.places().getOrDefault(path, old))
            .ifPresent(each -> {
                each.before().ifPresent(value -> olds.add(at(path, value)));
                each.after().ifPresent(value -> news.add(at(path, value)));
            }));
        final JsonObject both = new JsonObject();
        both.add("before", bounded(olds));
        both.add("after", bounded(news));
        return both;
    }

    private static JsonObject at(final List<Part> path, final JsonElement value) {
        final JsonObject place = new JsonObject();
        place.addProperty("at", ChangedPaths.text(path));
        place.add("is", path.isEmpty() || !AuditLog.isSecret(path.get(path.size() - 1).local()) ? value
            : new JsonArray());
        return place;
    }

    private static JsonElement bounded(final JsonElement value) {
        final byte[] text = value.toString().getBytes(StandardCharsets.UTF_8);
        if (text.length <= MOST_BYTES) {
            return value;
        }
        final JsonObject instead = new JsonObject();
        instead.addProperty("bytes", text.length);
        instead.addProperty("sha256", Hashing.sha256().hashBytes(text).toString());
        return instead;
    }

    /** Names of the keys of a list; empty for anything else. */
    private List<String> keys(final List<Part> path) {
        Optional<DataNodeContainer> at = Optional.of(models.get());
        Optional<DataSchemaNode> node = Optional.empty();
        for (final Part part : path) {
            node = at.flatMap(in -> child(in, part));
            at = node.filter(DataNodeContainer.class::isInstance).map(DataNodeContainer.class::cast);
        }
        return node.filter(ListSchemaNode.class::isInstance).map(ListSchemaNode.class::cast)
            .map(list -> list.getKeyDefinition().stream().map(QName::getLocalName).toList()).orElse(List.of());
    }

    private Optional<DataSchemaNode> child(final DataNodeContainer in, final Part part) {
        final Optional<? extends Module> module = part.module().isEmpty() ? Optional.empty()
            : models.get().findModules(part.module()).stream().findFirst();
        if (!part.module().isEmpty() && module.isEmpty()
                || part.module().isEmpty() && !(in instanceof DataSchemaNode)) {
            return Optional.empty();
        }
        try {
            return in.findDataTreeChild(module.isPresent()
                ? QName.create(module.orElseThrow().getQNameModule(), part.local())
                : QName.create(((DataSchemaNode) in).getQName(), part.local()));
        } catch (IllegalArgumentException e) {
            // It is no name.
            return Optional.empty();
        }
    }

    private Optional<NormalizedNode> place(final List<Part> path) {
        YangInstanceIdentifier known = YangInstanceIdentifier.empty();
        DataNodeContainer in = models.get();
        int index = 0;
        for (; index < path.size(); index++) {
            final Optional<DataSchemaNode> node = child(in, path.get(index));
            final List<String> keys = path.get(index).keys();
            if (node.isEmpty() || !(node.orElseThrow() instanceof DataNodeContainer inner)
                    || node.orElseThrow().isAugmenting() || in.dataChildByName(node.orElseThrow().getQName()) == null
                    || !keys.isEmpty() && !haveText(node.orElseThrow(), keys)) {
                break;
            }
            known = known.node(node.orElseThrow().getQName());
            if (!keys.isEmpty()) {
                final List<QName> names = ((ListSchemaNode) node.orElseThrow()).getKeyDefinition();
                final Map<QName, Object> values = new LinkedHashMap<>();
                for (int key = 0; key < keys.size(); key++) {
                    values.put(names.get(key), keys.get(key));
                }
                known = known.node(YangInstanceIdentifier.NodeIdentifierWithPredicates
                    .of(node.orElseThrow().getQName(), values));
            }
            in = inner;
        }
        return index == 0 ? Optional.empty() : inside(stored(known), path.subList(index, path.size()));
    }

    private static boolean haveText(final DataSchemaNode node, final List<String> keys) {
        return node instanceof ListSchemaNode list && list.getKeyDefinition().size() == keys.size()
            && list.getKeyDefinition().stream().allMatch(key -> list.dataChildByName(key) instanceof LeafSchemaNode leaf
                && leaf.getType() instanceof StringTypeDefinition);
    }

    private Optional<NormalizedNode> stored(final YangInstanceIdentifier path) {
        try (var transaction = broker.newReadOnlyTransaction()) {
            return transaction.read(LogicalDatastoreType.CONFIGURATION, path).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException | TimeoutException e) {
            return Optional.empty();
        }
    }

    private static Optional<NormalizedNode> inside(final Optional<NormalizedNode> node, final List<Part> path) {
        Optional<NormalizedNode> at = node;
        for (final Part part : path) {
            at = at.filter(DataContainerNode.class::isInstance)
                .map(each -> Plain.members((DataContainerNode) each).get(part.local()));
            if (!part.keys().isEmpty()) {
                at = at.filter(MapNode.class::isInstance).flatMap(list -> entry((MapNode) list, part.keys()));
            }
        }
        return at;
    }

    private static Optional<NormalizedNode> entry(final MapNode list, final List<String> keys) {
        for (final MapEntryNode entry : list.body()) {
            final List<String> values = new ArrayList<>();
            entry.getIdentifier().values().forEach(value -> values.add(Plain.text(value)));
            if (values.equals(keys)) {
                return Optional.of(entry);
            }
        }
        return Optional.empty();
    }
}
