// SPDX-License-Identifier: Apache-2.0
package io.penstock.access;

import static java.util.Objects.requireNonNull;

import java.util.Locale;
import java.util.Set;

/**
 * A request.
 *
 * @param path as it was sent, without query
 * @param type of the body; empty if none is named
 */
public record Call(String method, String path, String type, byte[] body) {
    static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

    private static final Set<String> JSON = Set.of("application/yang-data+json", "application/json");
    private static final String PATCH = "application/yang-patch+json";

    /** Checks that nothing is missing. */
    public Call {
        requireNonNull(method);
        requireNonNull(path);
        requireNonNull(type);
        requireNonNull(body);
    }

    /** Whether it asks for something and can change nothing. */
    public boolean isRead() {
        return READS.contains(method);
    }

    /** Whether it is an RPC. */
    public boolean isOperation() {
        return path.startsWith("/rests/operations/");
    }

    boolean isJson() {
        return JSON.contains(baseType());
    }

    /** Whether it is a YANG Patch (RFC 8072) in JSON. */
    boolean isPatch() {
        return "PATCH".equals(method) && PATCH.equals(baseType());
    }

    private String baseType() {
        return type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }
}
