// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.web;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.penstock.access.Json;
import io.penstock.access.User;
import io.penstock.access.audit.AuditLog;
import java.util.Map;
import java.util.Optional;
import javax.servlet.http.HttpServletRequest;

/** What the audit log tells of a request. Stateless. */
final class Entries {
    private static final int MOST_PATH = 500;
    private static final int MOST_INPUT = 4096;

    private Entries() {
        // Only functions.
    }

    /**
     * An entry.
     *
     * @param name that the request gives
     * @param user empty if it has not proved its name
     */
    static JsonObject of(final HttpServletRequest request, final String name, final Optional<User> user) {
        final JsonObject entry = new JsonObject();
        entry.addProperty("user", name);
        user.ifPresent(known -> entry.addProperty("role", known.role().text()));
        entry.addProperty("source", request.getRemoteAddr());
        entry.addProperty("method", shortened(request.getMethod()));
        entry.addProperty("path", shortened(request.getRequestURI()
            + (request.getQueryString() == null ? "" : "?" + request.getQueryString())));
        return entry;
    }

    static String shortened(final String text) {
        return text.length() <= MOST_PATH ? text : text.substring(0, MOST_PATH) + "...";
    }

    /** The input of an RPC, without secrets. */
    static JsonElement input(final byte[] body) {
        final JsonElement input = Json.parse(body).map(Entries::withoutSecrets)
            .orElse(new JsonPrimitive(body.length + " bytes"));
        return input.toString().length() <= MOST_INPUT ? input : new JsonPrimitive(body.length + " bytes");
    }

    private static JsonElement withoutSecrets(final JsonElement value) {
        if (value instanceof JsonObject object) {
            final JsonObject kept = new JsonObject();
            for (final Map.Entry<String, JsonElement> each : object.entrySet()) {
                kept.add(each.getKey(), AuditLog.isSecret(each.getKey()) ? AuditLog.NOT_LOGGED
                    : withoutSecrets(each.getValue()));
            }
            return kept;
        }
        if (value instanceof JsonArray array) {
            final JsonArray kept = new JsonArray();
            array.forEach(each -> kept.add(withoutSecrets(each)));
            return kept;
        }
        return value;
    }
}
