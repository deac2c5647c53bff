// SPDX-License-Identifier: Apache-2.0
package io.penstock.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the page over HTTP. */
@Timeout(360)
class PageServletTest {
    private static final Pattern REFERENCE = Pattern.compile("(?:src|href)=\"/ui/([^\"]+)\"");

    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);
    private final HttpClient client = HttpClient.newHttpClient();
    private Assets assets;

    @BeforeEach
    void start() throws Exception {
        assets = Assets.load();
        connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
        server.addConnector(connector);
        final ServletContextHandler context = new ServletContextHandler(server, PagePath.PATH);
        context.setAllowNullPathInfo(true);
        context.addServlet(new ServletHolder(new PageServlet(assets)), "/*");
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    private HttpRequest.Builder request(final String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + connector.getLocalPort() + path));
    }

    private HttpResponse<byte[]> send(final HttpRequest.Builder request) throws IOException, InterruptedException {
        final HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
        PageServlet.HEADERS.forEach((name, value) -> assertThat(header(response, name)).isEqualTo(value));
        return response;
    }

    private static String header(final HttpResponse<?> response, final String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @Test
    void theStartRefersToFilesThatAreThere() throws Exception {
        final HttpResponse<byte[]> start = send(request("/ui/"));
        assertThat(start.statusCode()).isEqualTo(200);
        assertThat(header(start, "Content-Type")).isEqualToIgnoringCase("text/html;charset=utf-8");
        assertThat(header(start, "Cache-Control")).isEqualTo("no-cache");
        final String text = new String(start.body(), StandardCharsets.UTF_8);
        final Stream<String> names = REFERENCE.matcher(text).results().map(found -> found.group(1));
        assertThat(names).hasSizeGreaterThanOrEqualTo(2).allMatch(name -> assets.file(name).isPresent());
        // The content security policy would refuse them.
        assertThat(text).doesNotContain("<style", "style=", "onload", "javascript:").doesNotContainPattern(
            "<script[^>]*>[^<]");
    }

    @Test
    void eachFileIsServedPlainAndPacked() throws Exception {
        assertThat(assets.all()).hasSizeGreaterThanOrEqualTo(3);
        for (final Map.Entry<String, Asset> file : assets.all().entrySet()) {
            final HttpResponse<byte[]> plain = send(request("/ui/" + file.getKey()));
            final HttpResponse<byte[]> packed = send(request("/ui/" + file.getKey())
                .header("Accept-Encoding", "br, GZIP;q=0.5"));
            assertThat(plain.statusCode()).isEqualTo(200);
            assertThat(plain.body()).isEqualTo(file.getValue().plain()).isNotEmpty();
            assertThat(header(plain, "Content-Encoding")).isEmpty();
            assertThat(header(packed, "Content-Encoding")).isEqualTo("gzip");
            try (InputStream unpacked = new GZIPInputStream(new ByteArrayInputStream(packed.body()))) {
                assertThat(unpacked.readAllBytes()).isEqualTo(plain.body());
            }
            assertThat(header(plain, "Content-Type")).doesNotContain("octet-stream");
            assertThat(header(plain, "Vary")).isEqualTo("Accept-Encoding");
            assertThat(header(plain, "Cache-Control")).isEqualTo(file.getKey().startsWith("assets/")
                ? "public, max-age=31536000, immutable" : "no-cache");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip;q=0", "gzip; q=0.0", "br"})
    void aClientWithoutGzipGetsPlainFiles(final String accepted) throws Exception {
        assertThat(header(send(request("/ui/").header("Accept-Encoding", accepted)), "Content-Encoding")).isEmpty();
    }

    @Test
    void anUnchangedFileIsNotSentAgain() throws Exception {
        final String tag = header(send(request("/ui/")), "ETag");
        final HttpResponse<byte[]> again = send(request("/ui/").header("If-None-Match", tag));
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(send(request("/ui/").header("If-None-Match", "\"another\"")).statusCode()).isEqualTo(200);
    }

    @Test
    void thePathWithoutSlashLeadsToThePage() throws Exception {
        final HttpResponse<byte[]> response = send(request("/ui"));
        assertThat(response.statusCode()).isEqualTo(302);
        assertThat(header(response, "Location")).isEqualTo("/ui/");
    }

    @Test
    void aHeadHasTheHeadersAndNoBody() throws Exception {
        final HttpResponse<byte[]> response = send(request("/ui/").method("HEAD", BodyPublishers.noBody()));
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
        assertThat(header(response, "ETag")).isEqualTo(header(send(request("/ui/")), "ETag"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"})
    void otherMethodsAreRefused(final String method) throws Exception {
        final HttpResponse<byte[]> response = send(request("/ui/").method(method, BodyPublishers.noBody()));
        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(header(response, "Allow")).isEqualTo("GET, HEAD");
        assertThat(response.body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ui/nothing", "/ui/files.txt", "/ui/index.html.gz", "/ui/%3Cscript%3E", "/ui/assets/",
        "/ui/..%2Findex.html", "/ui//index.html", "/ui/%00"})
    void otherFilesAreNotThere(final String path) throws Exception {
        final String answer = raw("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertThat(answer).matches("(?s)HTTP/1.1 (400|404) .*").doesNotContain("Penstock");
    }

    /** An HTTP client would correct the path. */
    private String raw(final String text) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort())) {
            final OutputStream output = socket.getOutputStream();
            output.write(text.getBytes(StandardCharsets.US_ASCII));
            output.flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
