// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Scrapes over HTTP. */
@Timeout(360)
class MetricsServletTest {
    private static final String OPEN_METRICS = "application/openmetrics-text";

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);
    private final HttpClient client = HttpClient.newHttpClient();
    private final CountDownLatch begun = new CountDownLatch(MetricsServlet.SCRAPES);
    private final CountDownLatch free = new CountDownLatch(1);
    private volatile boolean isSlow;

    @BeforeEach
    void start() throws Exception {
        GaugeWithCallback.builder().name("penstock_height").help("A height.").labelNames("at")
            .callback(callback -> {
                hold();
                callback.call(1.5, "a\"b\\c\nd");
            }).register(registry);
        connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
        server.addConnector(connector);
        final ServletContextHandler context = new ServletContextHandler(server, "/penstock");
        context.addServlet(new ServletHolder(new MetricsServlet(registry)), "/metrics");
        server.start();
    }

    private void hold() {
        if (isSlow) {
            begun.countDown();
            try {
                free.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @AfterEach
    void stop() throws Exception {
        free.countDown();
        server.stop();
    }

    private HttpRequest.Builder request() {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/penstock/metrics"));
    }

    private HttpResponse<byte[]> send(final HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), BodyHandlers.ofByteArray());
    }

    private static String text(final HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Test
    void theClientChoosesTheFormat() throws IOException, InterruptedException {
        final HttpResponse<byte[]> plain = send(request());
        assertThat(plain.headers().firstValue("Content-Type")).get().asString().startsWith("text/plain");
        assertThat(text(plain)).isEqualTo("""
            # HELP penstock_height A height.
            # TYPE penstock_height gauge
            penstock_height{at="a\\"b\\\\c\\nd"} 1.5
            """);
        final HttpResponse<byte[]> open = send(request().header("Accept", OPEN_METRICS + "; version=1.0.0"));
        assertThat(open.headers().firstValue("Content-Type")).get().asString().startsWith(OPEN_METRICS);
        assertThat(text(open)).endsWith("# EOF\n");
    }

    @Test
    void itIsCompressedForWhoTakesThat() throws IOException, InterruptedException {
        final HttpResponse<byte[]> response = send(request().header("Accept-Encoding", "gzip"));
        assertThat(response.headers().firstValue("Content-Encoding")).hasValue("gzip");
        try (GZIPInputStream stream = new GZIPInputStream(new ByteArrayInputStream(response.body()))) {
            assertThat(new String(stream.readAllBytes(), StandardCharsets.UTF_8)).contains("penstock_height{");
        }
    }

    @Test
    void headHasNoBodyAndAllElseIsRefused() throws IOException, InterruptedException {
        final HttpResponse<byte[]> head = send(request().method("HEAD", BodyPublishers.noBody()));
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        for (final String method : List.of("POST", "PUT", "DELETE")) {
            assertThat(send(request().method(method, BodyPublishers.ofString("x"))).statusCode()).isEqualTo(405);
        }
    }

    @Test
    void nothingIsKeptByCaches() throws IOException, InterruptedException {
        assertThat(send(request()).headers().firstValue("Cache-Control")).hasValue("no-store");
    }

    /** Scrapes that wait for each other are answered with 503, so that they do not take all threads of the server. */
    @Test
    void scrapesAtATimeAreBounded() throws Exception {
        isSlow = true;
        final List<CompletableFuture<HttpResponse<byte[]>>> held = Stream.generate(() ->
            client.sendAsync(request().build(), BodyHandlers.ofByteArray())).limit(MetricsServlet.SCRAPES).toList();
        begun.await();
        assertThat(send(request()).statusCode()).isEqualTo(503);
        free.countDown();
        for (final CompletableFuture<HttpResponse<byte[]>> each : held) {
            assertThat(each.get().statusCode()).isEqualTo(200);
        }
        assertThat(send(request()).statusCode()).as("afterwards").isEqualTo(200);
    }
}
