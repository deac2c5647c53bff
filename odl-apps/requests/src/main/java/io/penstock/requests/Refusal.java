// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;

/**
 * Why a request is refused.
 *
 * @param status of HTTP
 * @param tag of RFC 8040, section 7
 * @param message names the rule, and what to do
 * @param path the instance identifier of what is refused, of the first one of several; empty if none is known
 */
record Refusal(int status, String tag, String message, String path) {
    static final int BAD_REQUEST = 400;
    static final int UNAUTHORIZED = 401;
    static final int NOT_ALLOWED = 405;
    static final int TIMEOUT = 408;
    static final int CONFLICT = 409;
    static final int TOO_LARGE = 413;
    static final int BUSY = 503;

    private static final Gson PRETTY = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    Refusal(final int status, final String tag, final String message) {
        this(status, tag, message, "");
    }

    static Refusal invalid(final String message) {
        return new Refusal(BAD_REQUEST, "invalid-value", message);
    }

    static Refusal malformed(final String message) {
        return new Refusal(BAD_REQUEST, "malformed-message", message);
    }

    /** The same of something in the request, such as an edit. */
    Refusal in(final String place) {
        return new Refusal(status, tag, place + ": " + message, path);
    }

    /** The body of the answer, as RESTCONF writes it, for people too. */
    String json() {
        final JsonObject error = new JsonObject();
        error.addProperty("error-tag", tag);
        error.addProperty("error-message", message);
        if (!path.isEmpty()) {
            error.addProperty("error-path", path);
        }
        error.addProperty("error-type", "protocol");
        final JsonArray list = new JsonArray();
        list.add(error);
        final JsonObject errors = new JsonObject();
        errors.add("error", list);
        final JsonObject body = new JsonObject();
        body.add("errors", errors);
        return PRETTY.toJson(body);
    }
}
