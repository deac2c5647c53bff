// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.audit;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.opendaylight.yangtools.yang.common.Empty;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifierWithPredicates;
import org.opendaylight.yangtools.yang.data.api.schema.AugmentationNode;
import org.opendaylight.yangtools.yang.data.api.schema.ChoiceNode;
import org.opendaylight.yangtools.yang.data.api.schema.DataContainerNode;
import org.opendaylight.yangtools.yang.data.api.schema.LeafNode;
import org.opendaylight.yangtools.yang.data.api.schema.LeafSetNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapEntryNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNodeContainer;

/**
 * Data as JSON for people who look for a change: names without modules, values as text, secrets left out. Stateless.
 */
final class Plain {
    /** What differs of something; empty where it is not there. */
    record Difference(Optional<JsonElement> before, Optional<JsonElement> after) { }

    private Plain() {
        // Only functions.
    }

    /** What of two states of something differs, with the keys of the entries that it is in; empty if nothing does. */
    static Optional<Difference> difference(final Optional<NormalizedNode> before,
            final Optional<NormalizedNode> after) {
        if (before.equals(after)) {
            return Optional.empty();
        }
        final NormalizedNode one = before.orElse(null);
        final NormalizedNode other = after.orElse(null);
        if (one instanceof MapNode old && other instanceof MapNode now) {
            return Optional.of(ofLists(old, now));
        }
        if (one instanceof DataContainerNode old && other instanceof DataContainerNode now) {
            return Optional.of(ofContainers(old, now));
        }
        return Optional.of(new Difference(before.map(Plain::json), after.map(Plain::json)));
    }

    private static Difference ofLists(final MapNode before, final MapNode after) {
        final JsonArray olds = new JsonArray();
        final JsonArray news = new JsonArray();
        final Map<NodeIdentifierWithPredicates, MapEntryNode> left = new LinkedHashMap<>();
        after.body().forEach(entry -> left.put(entry.getIdentifier(), entry));
        for (final MapEntryNode entry : before.body()) {
            final Optional<NormalizedNode> now = Optional.ofNullable(left.remove(entry.getIdentifier()));
            difference(Optional.of(entry), now).ifPresent(each -> {
                each.before().ifPresent(olds::add);
                each.after().ifPresent(news::add);
            });
        }
        left.values().forEach(entry -> news.add(json(entry)));
        return new Difference(Optional.of(olds), Optional.of(news));
    }

    private static Difference ofContainers(final DataContainerNode before, final DataContainerNode after) {
        final Map<String, NormalizedNode> olds = members(before);
        final Map<String, NormalizedNode> news = members(after);
        final JsonObject one = new JsonObject();
        final JsonObject other = new JsonObject();
        if (before instanceof MapEntryNode entry) {
            entry.getIdentifier().asMap().forEach((key, value) -> {
                one.addProperty(key.getLocalName(), text(value));
                other.addProperty(key.getLocalName(), text(value));
            });
        }
        Stream.concat(olds.keySet().stream(), news.keySet().stream()).distinct().forEach(name ->
            difference(Optional.ofNullable(olds.get(name)), Optional.ofNullable(news.get(name))).ifPresent(each -> {
                each.before().ifPresent(value -> one.add(name, guarded(name, value)));
                each.after().ifPresent(value -> other.add(name, guarded(name, value)));
            }));
        return new Difference(Optional.of(one), Optional.of(other));
    }

    private static JsonElement json(final NormalizedNode node) {
        if (node instanceof DataContainerNode container) {
            final JsonObject object = new JsonObject();
            members(container).forEach((name, child) -> object.add(name, guarded(name, json(child))));
            return object;
        }
        if (node instanceof NormalizedNodeContainer<?> list) {
            final JsonArray array = new JsonArray();
            list.body().forEach(child -> array.add(node instanceof LeafSetNode ? new JsonPrimitive(text(child.body()))
                : json(child)));
            return array;
        }
        return node instanceof LeafNode || node.body() != null ? new JsonPrimitive(text(node.body()))
            : JsonNull.INSTANCE;
    }

    /** Choices and augmentations are in no JSON. */
    static Map<String, NormalizedNode> members(final DataContainerNode container) {
        final Map<String, NormalizedNode> members = new LinkedHashMap<>();
        collect(container.body(), members);
        return members;
    }

    private static void collect(final Collection<? extends NormalizedNode> children,
            final Map<String, NormalizedNode> members) {
        for (final NormalizedNode child : children) {
            if (child instanceof ChoiceNode choice) {
                collect(choice.body(), members);
            } else if (child instanceof AugmentationNode augmentation) {
                collect(augmentation.body(), members);
            } else {
                members.put(child.getIdentifier().getNodeType().getLocalName(), child);
            }
        }
    }

    /** The value of a leaf as text. */
    static String text(final Object value) {
        return value instanceof QName name ? name.getLocalName() : value instanceof Empty ? ""
            : value instanceof byte[] bytes ? bytes.length + " bytes" : Objects.toString(value);
    }

    private static JsonElement guarded(final String name, final JsonElement value) {
        return AuditLog.isSecret(name) ? AuditLog.NOT_LOGGED : value;
    }
}
