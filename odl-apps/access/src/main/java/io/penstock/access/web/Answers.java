// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.web;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import javax.servlet.http.HttpServletResponse;

/** Refusals as RESTCONF writes them (RFC 8040, section 7.1). Stateless. */
final class Answers {
    static final int TOO_MANY = 429;

    private Answers() {
        // Only functions.
    }

    static void refuse(final HttpServletResponse response, final int status, final String tag, final String message)
            throws IOException {
        final JsonObject error = new JsonObject();
        error.addProperty("error-tag", tag);
        error.addProperty("error-message", message);
        error.addProperty("error-type", "protocol");
        final JsonArray list = new JsonArray();
        list.add(error);
        final JsonObject errors = new JsonObject();
        errors.add("error", list);
        final JsonObject body = new JsonObject();
        body.add("errors", errors);
        response.setStatus(status);
        response.setContentType("application/yang-data+json");
        response.setCharacterEncoding(StandardCharsets.UTF_8.name());
        response.getOutputStream().write(body.toString().getBytes(StandardCharsets.UTF_8));
    }
}
