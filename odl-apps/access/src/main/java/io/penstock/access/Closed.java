// SPDX-License-Identifier: Apache-2.0
package io.penstock.access;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;
import java.util.Optional;

/**
 * What is refused to all users, whatever their role: the tree of accounts, by any way that leads to it. The root of the
 * data is read and changed tree by tree, for each answer and each change of the root would have the accounts.
 */
final class Closed {
    private static final String WHY = "accounts are read and changed by ./penstock user alone";
    private static final String ROOT = "the root of the data is read and changed tree by tree, in JSON";

    private Closed() {
        // Only functions.
    }

    static Optional<String> refusal(final Call call, final Resource resource) {
        if (resource.steps().stream().anyMatch(step -> step.module().equals(Access.ACCOUNTS))
                && !call.isOperation() && !isSchema(resource)) {
            return Optional.of(WHY);
        }
        // It subscribes to changes of any data.
        if (call.isOperation() && resource.last().filter(step -> step.module().equals("sal-remote")).isPresent()) {
            return Optional.of("events are at /penstock/events");
        }
        if (resource.steps().size() != 2 || !isNamed(resource, 0, "rests") || !isNamed(resource, 1, "data")
                || "OPTIONS".equals(call.method())) {
            return Optional.empty();
        }
        return ofRoot(call, resource);
    }

    /** The text of a module is no secret. */
    private static boolean isSchema(final Resource resource) {
        return isNamed(resource, 0, "rests") && isNamed(resource, 1, "modules");
    }

    private static boolean isNamed(final Resource resource, final int index, final String name) {
        return resource.steps().size() > index && resource.steps().get(index).name().equals(name);
    }

    private static Optional<String> ofRoot(final Call call, final Resource resource) {
        final Optional<JsonObject> body = call.isJson() || call.isPatch() ? Json.parse(call.body())
            .filter(JsonObject.class::isInstance).map(JsonObject.class::cast).filter(each -> each.size() == 1)
            : Optional.empty();
        if (body.isEmpty()) {
            return Optional.of(ROOT);
        }
        final Map.Entry<String, JsonElement> member = body.orElseThrow().entrySet().iterator().next();
        if (call.isPatch()) {
            return Edits.of(member.getValue()).filter(edits -> edits.stream().allMatch(edit ->
                resource.and(edit.target()).filter(target -> target.steps().size() > 2 && target.steps().stream()
                    .noneMatch(step -> step.module().equals(Access.ACCOUNTS))).isPresent())).isPresent()
                ? Optional.empty() : Optional.of(ROOT);
        }
        return "POST".equals(call.method()) && !member.getKey().startsWith(Access.ACCOUNTS + ":")
            ? Optional.empty() : Optional.of(ROOT);
    }
}
