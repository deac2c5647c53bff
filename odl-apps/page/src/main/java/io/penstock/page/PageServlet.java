// SPDX-License-Identifier: Apache-2.0
package io.penstock.page;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * Answers GET and HEAD with the files of the page, and everything else with an error. Its headers let a browser load
 * nothing from elsewhere, run no script that is not one of the files, and show the page in no frame. Safe for all
 * threads.
 */
final class PageServlet extends HttpServlet {
    /** Of each answer. Nothing is inline, so no exception is needed. */
    static final Map<String, String> HEADERS = Map.of(
        "Content-Security-Policy", "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
            + " object-src 'none'; require-trusted-types-for 'script'",
        "X-Content-Type-Options", "nosniff",
        "Referrer-Policy", "no-referrer",
        "Cross-Origin-Opener-Policy", "same-origin",
        "Cross-Origin-Resource-Policy", "same-origin");

    private static final long serialVersionUID = 1;
    private static final String START = "index.html";

    private final transient Assets assets;

    PageServlet(final Assets assets) {
        this.assets = requireNonNull(assets);
    }

    @Override
    protected void service(final HttpServletRequest request, final HttpServletResponse response) throws IOException {
        HEADERS.forEach(response::setHeader);
        final boolean hasBody = "GET".equals(request.getMethod());
        if (!hasBody && !"HEAD".equals(request.getMethod())) {
            response.setHeader("Allow", "GET, HEAD");
            refuse(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED);
            return;
        }
        final String path = request.getPathInfo();
        if (path == null || request.getRequestURI().equals(request.getContextPath())) {
            // Paths within the page are relative to a directory.
            response.setHeader("Location", request.getContextPath() + "/");
            refuse(response, HttpServletResponse.SC_FOUND);
            return;
        }
        final Optional<Asset> asset = assets.file("/".equals(path) ? START : path.substring(1));
        if (asset.isEmpty()) {
            refuse(response, HttpServletResponse.SC_NOT_FOUND);
        } else {
            answer(request, response, asset.orElseThrow(), hasBody);
        }
    }

    private static void answer(final HttpServletRequest request, final HttpServletResponse response, final Asset asset,
            final boolean hasBody) throws IOException {
        response.setHeader("Cache-Control", asset.caching());
        response.setHeader("Vary", "Accept-Encoding");
        response.setHeader("ETag", asset.tag());
        if (asset.tag().equals(request.getHeader("If-None-Match"))) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        final boolean isPacked = takesGzip(request.getHeader("Accept-Encoding"));
        if (isPacked) {
            response.setHeader("Content-Encoding", "gzip");
        }
        final byte[] body = isPacked ? asset.packed() : asset.plain();
        response.setContentType(asset.type());
        response.setContentLength(body.length);
        if (hasBody) {
            response.getOutputStream().write(body);
        }
    }

    /** RFC 9110, section 12.5.3; a client that gives gzip a weight other than 0 takes it. */
    private static boolean takesGzip(final String header) {
        return header != null && Stream.of(header.toLowerCase(Locale.ROOT).split(",")).map(String::strip)
            .anyMatch(each -> each.equals("gzip") || each.startsWith("gzip;") && !each.matches("gzip;\\s*q=0(\\.0*)?"));
    }

    /** Without a body: an error page of the server would repeat what the client has sent. */
    private static void refuse(final HttpServletResponse response, final int status) {
        response.setHeader("Cache-Control", "no-store");
        response.setStatus(status);
        response.setContentLength(0);
    }
}
