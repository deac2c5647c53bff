// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.events.EventSink;
import io.penstock.events.OperatorEvent;
import io.penstock.events.SampleEvents;
import io.penstock.southbound.openflow.MdSalInProcess;
import io.penstock.testkit.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/** The stream over HTTP. */
@Timeout(360)
class EventServletTest {
    private static final EffectiveModelContext MODEL = new MdSalInProcess().model();
    private static final String NODE_LOST = "data: {\"ietf-restconf:notification\":{\"event-time\":"
        + "\"2026-11-26T12:00:00Z\",\"penstock-state:status-event\":{\"kind\":\"node\",\"name\":\"edge1\","
        + "\"status\":\"lost\",\"former-status\":\"connected\",\"time\":\"2026-11-26T12:00:00Z\"}}}";

    private final EventHub hub = new EventHub(() -> MODEL);
    private final EventSink sink = hub.sink(SampleEvents.CLOCK);
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<InputStream> open = new ArrayList<>();
    private volatile boolean accepted = true;
    private EventServlet servlet;

    @BeforeEach
    void start() throws Exception {
        connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
        server.addConnector(connector);
        final ServletContextHandler context = new ServletContextHandler(server, "/penstock");
        servlet = new EventServlet(hub, request -> accepted, Duration.ofMillis(50), Duration.ofMillis(200));
        context.addServlet(new ServletHolder(servlet), "/events");
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        for (final InputStream stream : open) {
            stream.close();
        }
        hub.close();
        server.stop();
    }

    private HttpRequest.Builder request() {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/penstock/events"));
    }

    private HttpResponse<InputStream> get() throws IOException, InterruptedException {
        final HttpResponse<InputStream> response = client.send(request().build(), BodyHandlers.ofInputStream());
        open.add(response.body());
        return response;
    }

    private static String nextEvent(final BufferedReader stream) throws IOException {
        String line = stream.readLine();
        while (line != null && !line.startsWith("data: ")) {
            line = stream.readLine();
        }
        return String.valueOf(line);
    }

    private static BufferedReader lines(final HttpResponse<InputStream> response) {
        return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    @Test
    void eventsComeAsTheyHappenToAllWhoListen() throws Exception {
        final HttpResponse<InputStream> response = get();
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/event-stream");
        final BufferedReader one = lines(response);
        final BufferedReader other = lines(get());
        assertThat(one.readLine()).isEqualTo(": listening");
        assertThat(other.readLine()).isEqualTo(": listening");
        for (final OperatorEvent event : SampleEvents.ALL) {
            sink.tell(event);
            assertThat(nextEvent(one)).contains("\"" + event.notification() + "\":{").isEqualTo(nextEvent(other));
        }
    }

    @Test
    void theFormIsThatOfRestconf() throws Exception {
        final BufferedReader stream = lines(get());
        sink.tell(SampleEvents.NODE_LOST);
        assertThat(nextEvent(stream)).isEqualTo(NODE_LOST);
    }

    @Test
    void thereAreSoManyListenersAndAPlaceIsFreeWhenOneHasGone() throws Exception {
        for (int count = 0; count < EventHub.MOST_LISTENERS; count++) {
            assertThat(get().statusCode()).isEqualTo(200);
        }
        assertThat(get().statusCode()).isEqualTo(503);
        open.get(0).close();
        Await.until("a place", () -> {
            try {
                return get().statusCode() == 200;
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void aListenerThatIsFarBehindIsCutOffAfterWhatWaits() throws Exception {
        final EventHub.Listener slow = hub.listen().orElseThrow();
        for (int count = 0; count < EventHub.MOST_BEHIND; count++) {
            sink.tell(SampleEvents.NODE_LOST);
        }
        assertThat(slow.isCutOff()).isFalse();
        sink.tell(SampleEvents.NODE_LOST);
        assertThat(slow.isCutOff()).isTrue();
        sink.tell(SampleEvents.NODE_LOST);
        for (int count = 0; count < EventHub.MOST_BEHIND; count++) {
            assertThat(slow.next(Duration.ZERO)).isPresent();
        }
        assertThat(slow.next(Duration.ZERO)).isEmpty();
    }

    @Test
    void aStreamEndsWithTheController() throws Exception {
        final BufferedReader stream = lines(get());
        sink.tell(SampleEvents.NODE_LOST);
        hub.close();
        assertThat(nextEvent(stream)).isEqualTo(NODE_LOST);
        assertThat(nextEvent(stream)).isEqualTo("null");
        assertThat(get().statusCode()).isEqualTo(503);
    }

    @Test
    void aStreamEndsWithItsPath() throws Exception {
        final BufferedReader stream = lines(get());
        sink.tell(SampleEvents.NODE_LOST);
        servlet.end();
        assertThat(nextEvent(stream)).isEqualTo(NODE_LOST);
        assertThat(nextEvent(stream)).isEqualTo("null");
        assertThat(nextEvent(lines(get()))).as("it begins none any more").isEqualTo("null");
        assertThat(hub.listen()).as("others listen on").isPresent();
    }

    @Test
    void aListenerThatWaitsIsWokenByItsEnd() throws Exception {
        final EventHub.Listener listener = hub.listen().orElseThrow();
        final CompletableFuture<Optional<String>> next = CompletableFuture.supplyAsync(() -> {
            try {
                return listener.next(Duration.ofMinutes(5));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        listener.close();
        assertThat(next.get(30, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void aStreamEndsWhenItsUserIsAcceptedNoMore() throws Exception {
        final BufferedReader stream = lines(get());
        for (int line = 0; line < 10; line++) {
            assertThat(stream.readLine()).isNotNull();
        }
        accepted = false;
        assertThat(nextEvent(stream)).isEqualTo("null");
        final EventHub.Listener place = hub.listen().orElseThrow();
        assertThat(place.isCutOff()).isFalse();
    }

    @Test
    void nothingIsTakenFromClients() throws Exception {
        assertThat(client.send(request().POST(BodyPublishers.ofString("x")).build(), BodyHandlers.discarding())
            .statusCode()).isEqualTo(405);
    }

    @Test
    void aQuestionForTheHeadTakesNoPlace() throws Exception {
        for (int times = 0; times < 20; times++) {
            assertThat(client.send(request().method("HEAD", BodyPublishers.noBody()).build(),
                BodyHandlers.discarding()).statusCode()).isEqualTo(405);
        }
        assertThat(client.send(request().build(), BodyHandlers.ofInputStream()).statusCode()).isEqualTo(200);
    }
}
