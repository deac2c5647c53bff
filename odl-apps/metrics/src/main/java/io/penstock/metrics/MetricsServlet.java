// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import static java.util.Objects.requireNonNull;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.zip.GZIPOutputStream;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * Answers scrapes, in the format that the client asks for: OpenMetrics, or Prometheus' own text. An answer is made as a
 * whole before it is sent, so that slow clients keep no other from an answer.
 */
final class MetricsServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    /** Answers that are made at a time; with 1000 tenants each has a few megabytes. */
    static final int SCRAPES = 4;

    private final transient PrometheusRegistry registry;
    private final transient ExpositionFormats formats = ExpositionFormats.init();
    private final transient Semaphore scrapes = new Semaphore(SCRAPES);

    MetricsServlet(final PrometheusRegistry registry) {
        this.registry = requireNonNull(registry);
    }

    @Override
    protected void doGet(final HttpServletRequest request, final HttpServletResponse response) throws IOException {
        if (!scrapes.tryAcquire()) {
            response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, "as many as possible are scraping already");
            return;
        }
        final ExpositionFormatWriter writer = formats.findWriter(request.getHeader("Accept"));
        final boolean isShort = Optional.ofNullable(request.getHeader("Accept-Encoding")).orElse("").contains("gzip");
        final ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (OutputStream output = isShort ? new GZIPOutputStream(text) : text) {
            writer.write(output, registry.scrape());
        } finally {
            scrapes.release();
        }
        response.setContentType(writer.getContentType());
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("Vary", "Accept, Accept-Encoding");
        if (isShort) {
            response.setHeader("Content-Encoding", "gzip");
        }
        response.setContentLength(text.size());
        text.writeTo(response.getOutputStream());
    }
}
