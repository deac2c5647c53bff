// SPDX-License-Identifier: Apache-2.0
package io.penstock.page;

import static java.util.Objects.requireNonNull;

import java.util.Map;

/**
 * A file of the page. Immutable, and safe for all threads.
 *
 * @param name path below the page, with slashes
 * @param plain its bytes
 * @param packed the same bytes, compressed by gzip
 * @param tag entity tag, with its quotes (RFC 9110, section 8.8.3)
 */
record Asset(String name, byte[] plain, byte[] packed, String tag) {
    private static final Map<String, String> TYPES = Map.of(
        "html", "text/html; charset=utf-8",
        "js", "text/javascript; charset=utf-8",
        "css", "text/css; charset=utf-8",
        "svg", "image/svg+xml",
        "txt", "text/plain; charset=utf-8");
    /** The build puts files below it whose names change with their content. */
    private static final String HASHED = "assets/";

    Asset {
        requireNonNull(name);
        requireNonNull(plain);
        requireNonNull(packed);
        requireNonNull(tag);
    }

    /** Its media type. */
    String type() {
        return TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
    }

    /** For how long a browser may keep it: a file with a hash in its name never changes. */
    String caching() {
        return name.startsWith(HASHED) ? "public, max-age=31536000, immutable" : "no-cache";
    }
}
