// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static java.util.Objects.requireNonNull;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.model.api.CaseSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ChoiceSchemaNode;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.ListSchemaNode;

/**
 * A node of one case of a choice replaces those of the other cases (RFC 7950, section 7.9), and the datastore takes no
 * merge that does ({@code ChoiceModificationStrategy} of yangtools). So a plain PATCH becomes a YANG Patch, which is
 * one transaction as well: it removes what the other cases of all choices in the body have, then merges the body. Safe
 * for all threads.
 */
final class OtherCases {
    private final Supplier<EffectiveModelContext> models;

    OtherCases(final Supplier<EffectiveModelContext> models) {
        this.models = requireNonNull(models);
    }

    /**
     * The YANG Patch for a plain PATCH in JSON.
     *
     * @param path of the request, below {@code /rests/data}, still percent-encoded
     * @param body good by itself
     * @return empty if the body has no choice
     */
    Optional<byte[]> patch(final String path, final byte[] body) {
        final Steps steps = Steps.of(models.get(), path);
        if (!steps.isWhole() || steps.steps().isEmpty()) {
            return Optional.empty();
        }
        try {
            final JsonObject value = JsonParser.parseString(new String(body, StandardCharsets.UTF_8)).getAsJsonObject();
            final List<String> others = new ArrayList<>();
            value.entrySet().forEach(member -> collect(member.getValue(),
                steps.steps().get(steps.steps().size() - 1).node(), "", others));
            return others.isEmpty() ? Optional.empty()
                : Optional.of(patch(others, value).toString().getBytes(StandardCharsets.UTF_8));
        } catch (JsonParseException | IllegalStateException e) {
            return Optional.empty();
        }
    }

    private static JsonObject patch(final List<String> others, final JsonObject value) {
        final JsonArray edits = new JsonArray();
        for (final String target : others) {
            edits.add(edit("remove" + edits.size(), "remove", target));
        }
        final JsonObject merge = edit("merge", "merge", "/");
        merge.add("value", value);
        edits.add(merge);
        final JsonObject patch = new JsonObject();
        patch.addProperty("patch-id", "other-case");
        patch.add("edit", edits);
        final JsonObject whole = new JsonObject();
        whole.add(Edits.PATCH, patch);
        return whole;
    }

    /** RESTCONF reads a value by the target before it. */
    private static JsonObject edit(final String id, final String operation, final String target) {
        final JsonObject edit = new JsonObject();
        edit.addProperty("edit-id", id);
        edit.addProperty("operation", operation);
        edit.addProperty("target", target);
        return edit;
    }

    /** Collects the nodes of other cases in an object, in the only entry of a list, or in an entry of a list. */
    private void collect(final JsonElement element, final DataSchemaNode node, final String path,
            final List<String> others) {
        if (element instanceof JsonArray entries) {
            entries.forEach(entry -> collect(entry, node, path, others));
        } else if (element instanceof JsonObject object && node instanceof DataNodeContainer in) {
            final List<DataSchemaNode> members = new ArrayList<>();
            object.entrySet().forEach(member -> child(in, member.getKey()).ifPresent(child -> {
                members.add(child);
                if (child instanceof ListSchemaNode list && member.getValue() instanceof JsonArray entries) {
                    entries.forEach(entry -> collect(entry, list, path + name(list) + keys(list, entry), others));
                } else if (!(child instanceof ListSchemaNode)) {
                    collect(member.getValue(), child, path + name(child), others);
                }
            }));
            in.getChildNodes().forEach(each -> ofChoice(each, members, path, others));
        }
    }

    private static void ofChoice(final DataSchemaNode node, final List<DataSchemaNode> members, final String path,
            final List<String> others) {
        if (node instanceof ChoiceSchemaNode choice) {
            choice.getCases().stream().filter(each -> members.stream().anyMatch(member -> has(each, member)))
                .findFirst().ifPresent(chosen -> {
                    choice.getCases().stream().filter(each -> !each.getQName().equals(chosen.getQName()))
                        .forEach(other -> nodes(other, path, others));
                    chosen.getChildNodes().forEach(inner -> ofChoice(inner, members, path, others));
                });
        }
    }

    private static boolean has(final CaseSchemaNode one, final DataSchemaNode member) {
        return one.findDataTreeChild(member.getQName()).isPresent();
    }

    /** All of a case; a list or leaf-list is removed as a whole. */
    private static void nodes(final DataNodeContainer in, final String path, final List<String> others) {
        for (final DataSchemaNode child : in.getChildNodes()) {
            if (child instanceof ChoiceSchemaNode choice) {
                choice.getCases().forEach(each -> nodes(each, path, others));
            } else {
                others.add(path + name(child));
            }
        }
    }

    private Optional<DataSchemaNode> child(final DataNodeContainer in, final String name) {
        final String[] names = name.split(":", 2);
        final Optional<QName> qualified = (names.length == 2 ? Steps.module(models.get(), names[0])
            : Optional.of(((DataSchemaNode) in).getQName().getModule()))
            .map(module -> QName.create(module, names[names.length - 1]));
        return qualified.flatMap(in::findDataTreeChild);
    }

    /** The models have each choice in one module with what is around it. */
    private static String name(final DataSchemaNode node) {
        return "/" + node.getQName().getLocalName();
    }

    private static String keys(final ListSchemaNode list, final JsonElement entry) {
        return list.getKeyDefinition().stream().map(key -> entry.getAsJsonObject().entrySet().stream()
                .filter(member -> member.getKey().replaceFirst(".*:", "").equals(key.getLocalName())).findFirst()
                .orElseThrow(() -> new IllegalStateException("no key")).getValue().getAsString())
            .map(value -> URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20"))
            .collect(Collectors.joining(",", "=", ""));
    }
}
