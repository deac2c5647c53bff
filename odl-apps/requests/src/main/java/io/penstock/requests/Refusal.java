// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Why a request is refused.
 *
 * @param status of HTTP
 * @param problems at least one
 */
record Refusal(int status, List<Problem> problems) {
    /** More are not listed. */
    static final int MOST_PROBLEMS = 10;

    static final int BAD_REQUEST = 400;
    static final int UNAUTHORIZED = 401;
    static final int NOT_ALLOWED = 405;
    static final int TIMEOUT = 408;
    static final int CONFLICT = 409;
    static final int TOO_LARGE = 413;
    static final int BUSY = 503;

    private static final Gson PRETTY = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    /**
     * One error of RFC 8040, section 7.1.
     *
     * @param tag of RFC 8040, section 7
     * @param message names the rule, and what to do
     * @param path the instance identifier of what is refused; empty if none is known
     */
    record Problem(String tag, String message, String path) {
        /** The same, with something before its message. */
        Problem in(final String place) {
            return new Problem(tag, place + ": " + message, path);
        }

        private JsonObject json() {
            final JsonObject error = new JsonObject();
            error.addProperty("error-tag", tag);
            error.addProperty("error-message", message);
            if (!path.isEmpty()) {
                error.addProperty("error-path", path);
            }
            error.addProperty("error-type", "protocol");
            return error;
        }
    }

    Refusal {
        problems = List.copyOf(problems);
    }

    Refusal(final int status, final String tag, final String message) {
        this(status, tag, message, "");
    }

    Refusal(final int status, final String tag, final String message, final String path) {
        this(status, List.of(new Problem(tag, message, path)));
    }

    static Refusal invalid(final String message) {
        return new Refusal(BAD_REQUEST, "invalid-value", message);
    }

    static Refusal malformed(final String message) {
        return new Refusal(BAD_REQUEST, "malformed-message", message);
    }

    /** The same of something in the request, such as an edit. */
    Refusal in(final String place) {
        return new Refusal(status, problems.stream().map(problem -> problem.in(place)).toList());
    }

    /** All messages in one line. */
    String message() {
        return problems.stream().map(Problem::message).collect(Collectors.joining("; "));
    }

    /** The body of the answer, as RESTCONF writes it, for people too. */
    String json() {
        final JsonArray list = new JsonArray();
        problems.forEach(problem -> list.add(problem.json()));
        final JsonObject errors = new JsonObject();
        errors.add("error", list);
        final JsonObject body = new JsonObject();
        body.add("errors", errors);
        return PRETTY.toJson(body);
    }
}
