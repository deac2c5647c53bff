// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.gson.JsonParser;
import io.penstock.events.ConfigurationEvent;
import io.penstock.events.OperatorEvent;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.servlet.DispatcherType;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.FilterHolder;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/** The filter in the server that Karaf has, before a servlet that answers what it got. */
@Timeout(120)
class RequestFilterTest {
    private static final EffectiveModelContext MODELS = BindingRuntimeHelpers.createEffectiveModel(Network.class);
    private static final int MOST = 200_000;
    private static final int SMALL = 1000;
    private static final int READERS = 10;
    private static final int STRANGERS = 2;
    private static final String USER = "Basic eDp5";
    private static final String OTHER_USER = "Basic bmV3OnVzZXI=";
    private static final String MADE_UP = "Basic bWFkZTp1cA==";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String NETWORK = "/rests/data/penstock:network";
    private static final String JSON = "application/yang-data+json";
    /** Of a body of which the form is not judged. */
    private static final String TEXT = "text/plain";

    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);
    private final HttpClient client = HttpClient.newHttpClient();
    private final Queue<Integer> received = new ConcurrentLinkedQueue<>();
    private final BodyBudget strangers = new BodyBudget(MOST, SMALL, MOST, STRANGERS, PATIENCE, System::nanoTime);
    private final CountDownLatch working = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);

    private final Queue<Runnable> later = new ConcurrentLinkedQueue<>();
    private final Queue<OperatorEvent> told = new ConcurrentLinkedQueue<>();
    private final AcceptedChanges changes = new AcceptedChanges((task, pause) -> later.add(task), () -> { });

    private volatile Optional<String> shortage = Optional.empty();

    @BeforeEach
    void start() throws Exception {
        connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
        server.addConnector(connector);
        final ServletContextHandler context = new ServletContextHandler(ServletContextHandler.SESSIONS);
        context.setContextPath("/rests");
        context.addFilter(new FilterHolder(new RequestFilter(() -> MODELS, () -> shortage,
            new BodyBudget(MOST, SMALL, 2 * MOST, READERS, PATIENCE, System::nanoTime), strangers,
            Duration.ofSeconds(4), changes)), "/*", EnumSet.of(DispatcherType.REQUEST));
        context.addServlet(new ServletHolder(new HttpServlet() {
            private static final long serialVersionUID = 1;

            @Override
            protected void service(final HttpServletRequest request, final HttpServletResponse response)
                    throws IOException {
                if (MADE_UP.equals(request.getHeader("Authorization"))) {
                    // As Shiro does, which looks at the path first.
                    response.sendError(request.getRequestURI().endsWith("odd") ? HttpServletResponse.SC_BAD_REQUEST
                        : HttpServletResponse.SC_UNAUTHORIZED);
                    return;
                }
                received.add(request.getInputStream().readAllBytes().length);
                if (request.getRequestURI().endsWith("overtaken")) {
                    response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
                    response.getOutputStream().print("OptimisticLockFailedException{message=x}");
                    return;
                }
                if (request.getRequestURI().endsWith("chosen")) {
                    response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
                    response.getWriter().write("Child (urn:x)pool (from case a) implies non-presence of child "
                        + "(urn:x)public-address (from case b), which is");
                    return;
                }
                if (request.getRequestURI().endsWith("session")) {
                    request.getSession();
                }
                if (request.getRequestURI().endsWith("slow")) {
                    working.countDown();
                    try {
                        done.await(1, TimeUnit.MINUTES);
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                }
                response.setStatus(HttpServletResponse.SC_NO_CONTENT);
            }
        }), "/*");
        server.setHandler(context);
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        done.countDown();
        server.stop();
    }

    private HttpRequest request(final String method, final String path, final String type, final BodyPublisher body) {
        return request(method, path, type, body, USER);
    }

    private HttpRequest request(final String method, final String path, final String type, final BodyPublisher body,
            final String authorization) {
        return HttpRequest.newBuilder(URI.create("http://" + connector.getHost() + ":" + connector.getLocalPort()
            + path)).header("Content-Type", type).header("Authorization", authorization).method(method, body).build();
    }

    private HttpResponse<String> send(final String method, final String path, final String type, final String body)
            throws Exception {
        return client.send(request(method, path, type, BodyPublishers.ofString(body)), BodyHandlers.ofString());
    }

    private static String message(final HttpResponse<String> answer) {
        return JsonParser.parseString(answer.body()).getAsJsonObject().getAsJsonObject("errors")
            .getAsJsonArray("error").get(0).getAsJsonObject().get("error-message").getAsString();
    }

    @ParameterizedTest
    @CsvSource({"PUT, /pool=west/drain=203.0.113.64%2F30, /pool=west/drain=203.0.113.64/30: one value of a leaf-list",
        "DELETE, /pool=west/dra%69n=203.0.113.64%2F30, one value of a leaf-list",
        "PATCH, /pool=west/prefix=x, one value of a leaf-list",
        "POST, /pool=west/prefix=x, one value of a leaf-list",
        "PUT, /resolver/upstream=192.0.2.1, one value of a leaf-list",
        "PUT, /tenant=a/penstock:nat/alg=ftp, one value of a leaf-list",
        "PUT, //tenant=a//nat/alg=ftp/, one value of a leaf-list",
        "DELETE, /pool=west/name, a key cannot be changed or removed by itself",
        "PUT, /tenant=a/subnet=lan/name, a key cannot be changed or removed by itself"})
    void changesOfSingleValuesAndKeysAreRefused(final String method, final String path, final String rule)
            throws Exception {
        final HttpResponse<String> answer = send(method, NETWORK + path, JSON, "{}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(message(answer)).contains(rule);
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"DELETE, /rests/data;x/penstock:network/pool=west/drain=203.0.113.64%2F30",
        "DELETE, /rests/data/penstock:network;x/pool=west/drain=203.0.113.64%2F30",
        "PUT, /rests/data/penstock:network/pool;x=west/name", "PATCH, /rests;x/data/penstock:network",
        "POST, /rests/operations/penstock-operations:status;x"})
    void aPathWithParametersIsRefused(final String method, final String path) throws Exception {
        final HttpResponse<String> answer = send(method, path, JSON, "{}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(message(answer)).contains("a path has no parameters");
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"PUT, /penstock:network/tenant=a", "DELETE, /penstock:network/tenant=a", "POST, ''",
        "PATCH, /network-topology:network-topology"})
    void withoutRoomNothingIsChangedWhateverTheModule(final String method, final String path) throws Exception {
        shortage = Optional.of("the disk of / has 3 MB left, and 64 MB are needed: free some");
        final HttpResponse<String> answer = send(method, "/rests/data" + path, JSON, "{}");
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(message(answer)).isEqualTo("the configuration cannot be changed: " + shortage.orElseThrow());
        assertThat(received).isEmpty();
        assertThat(send("GET", "/rests/data" + path, JSON, "").statusCode()).isEqualTo(204);
        assertThat(send("POST", "/rests/operations/penstock-operations:status", JSON, "{}").statusCode())
            .isEqualTo(204);
    }

    @Test
    void whoChangedTheConfigurationIsTold() throws Exception {
        changes.tellTo(told::add);
        assertThat(send("PUT", NETWORK + "/tenant=a", TEXT, "{}").statusCode()).isEqualTo(204);
        assertThat(send("DELETE", NETWORK + "/tenant=a", TEXT, "").statusCode()).isEqualTo(204);
        send("PUT", NETWORK + "/pool=west/name", TEXT, "{}");
        send("GET", NETWORK, JSON, "");
        send("POST", "/rests/operations/penstock-operations:status", JSON, "{}");
        client.send(request("PUT", NETWORK, JSON, BodyPublishers.ofString("{}"), MADE_UP), BodyHandlers.discarding());
        later.forEach(Runnable::run);
        assertThat(told).containsExactly(new ConfigurationEvent(Optional.of("x"), 2,
            List.of("PUT penstock:network/tenant=a", "DELETE penstock:network/tenant=a")));
    }

    @Test
    void theNameBesideASessionIsNotTold() throws Exception {
        changes.tellTo(told::add);
        final String cookie = send("GET", "/rests/session", JSON, "").headers().firstValue("Set-Cookie").orElseThrow()
            .split(";")[0];
        client.send(HttpRequest.newBuilder(URI.create("http://" + connector.getHost() + ":" + connector.getLocalPort()
            + NETWORK)).header("Content-Type", TEXT).header("Authorization", OTHER_USER).header("Cookie", cookie)
            .PUT(BodyPublishers.ofString("{}")).build(), BodyHandlers.discarding());
        later.forEach(Runnable::run);
        assertThat(told).containsExactly(new ConfigurationEvent(Optional.empty(), 1, List.of("PUT penstock:network")));
    }

    @ParameterizedTest
    @CsvSource({"PUT, /pool=west", "PUT, /pool=drain", "DELETE, /tenant=a/nat/public-address", "PUT, /nothing/drain=1",
        "DELETE, /tenant=a%2Fprefix%3D1", "POST, ''", "GET, /pool=west/drain=203.0.113.64%2F30", "PUT, /:/=/%2F",
        "PUT, /tenant=a+b/quota/sessions", "PUT, /tenant=a%3Bb"})
    void otherRequestsPass(final String method, final String path) throws Exception {
        assertThat(send(method, NETWORK + path, TEXT, "{}").statusCode()).isEqualTo(204);
        assertThat(received).containsExactly(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/pool=west/drain=203.0.113.64%2F30", "/penstock:pool=west/name"})
    void aPatchWithSuchATargetIsRefused(final String target) throws Exception {
        final String json = """
            {"ietf-yang-patch:yang-patch": {"patch-id": "p", "edit": [
              {"edit-id": "1", "operation": "delete", "target": "/pool=east"},
              {"edit-id": "2", "operation": "merge", "target": "%s", "value": {"a": [1, true, null]}}]}}"""
            .formatted(target);
        final String xml = """
            <yang-patch xmlns="urn:ietf:params:xml:ns:yang:ietf-yang-patch"><patch-id>p</patch-id>
            <edit><edit-id>1</edit-id><operation>delete</operation><target>%s</target></edit></yang-patch>"""
            .formatted(target);
        assertThat(message(send("PATCH", NETWORK, "application/yang-patch+json", json))).contains("by itself");
        assertThat(message(send("PATCH", NETWORK, "application/yang-patch+xml", xml))).contains("by itself");
        assertThat(received).isEmpty();
        final String good = json.replace(target, "/pool=west").replace("{\"a\": [1, true, null]}",
            "{\"penstock:pool\": [{\"name\": \"west\"}]}");
        assertThat(send("PATCH", NETWORK, "application/yang-patch+json", good).statusCode()).isEqualTo(204);
        for (final String bad : new String[] {json.replace(target, "/pool=west"), "{'broken", "[1, 2", "{}"}) {
            assertThat(send("PATCH", NETWORK, "application/yang-patch+json", bad).statusCode()).isEqualTo(400);
        }
        assertThat(send("PATCH", NETWORK, "application/yang-patch+xml", "<broken").statusCode()).isEqualTo(204);
    }

    @Test
    void aValueThatIsNotOfItsTypeIsNamed() throws Exception {
        final String bad = "{\"penstock:tenant\": [{\"name\": \"a\", \"stateful\": 1}]}";
        final HttpResponse<String> answer = send("PUT", NETWORK + "/tenant=a", JSON, bad);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(message(answer)).isEqualTo("tenant a: stateful: 1 is neither true nor false");
        assertThat(received).isEmpty();
        // Of XML RESTCONF tells what is wrong, and it judges long bodies of users that are not known yet.
        final String large = bad + " ".repeat(1 << 16);
        assertThat(send("PUT", NETWORK + "/tenant=a", "application/xml", "<a/>").statusCode()).isEqualTo(204);
        assertThat(message(send("PATCH", NETWORK, "application/yang-patch+json", """
            {"ietf-yang-patch:yang-patch": {"patch-id": "p", "edit": [{"edit-id": "e1", "operation": "merge",
             "target": "/tenant=a", "value": %s}]}}""".formatted(bad))))
            .isEqualTo("edit e1: tenant a: stateful: 1 is neither true nor false");
        assertThat(client.send(request("PUT", NETWORK + "/tenant=a", JSON, BodyPublishers.ofString(large), OTHER_USER),
            BodyHandlers.ofString()).statusCode()).as("a stranger").isEqualTo(204);
        assertThat(client.send(request("PUT", NETWORK + "/tenant=a", JSON, BodyPublishers.ofString(large), OTHER_USER),
            BodyHandlers.ofString()).statusCode()).as("known now").isEqualTo(400);
    }

    @Test
    void whatRestconfSaysIsToldInWordsOfTheModel() throws Exception {
        final String body = "{\"penstock:tenant\": [{\"name\": \"%s\", \"nat\": {\"public-address\": \"192.0.2.1\"}}]}";
        final HttpResponse<String> overtaken =
            send("PUT", NETWORK + "/tenant=overtaken", JSON, body.formatted("overtaken"));
        assertThat(overtaken.statusCode()).isEqualTo(409);
        assertThat(message(overtaken)).contains("tenant=overtaken", "another client");
        final HttpResponse<String> chosen = send("PATCH", NETWORK + "/tenant=chosen", JSON, body.formatted("chosen"));
        assertThat(chosen.statusCode()).isEqualTo(400);
        assertThat(message(chosen)).startsWith("tenant chosen: nat / public-address: of pool and public-address")
            .contains("by PUT");
        assertThat(message(send("PATCH", NETWORK + "/tenant=chosen", TEXT, "x"))).contains("tenant=chosen: of pool");
    }

    @ParameterizedTest
    @CsvSource({"GET, /tenant=a/nat=1, nat is not a list", "DELETE, /tenant=a/nat=, nat is not a list",
        "PUT, /tenant=a/subnet=b/gateway=1, gateway is not a list", "GET, /tenant=%FF, ASCII",
        "GET, /tenant=%0A, ASCII", "FOO, '', is no method of RFC 8040", "PUT, '', needs a body"})
    void oddPathsAndMethodsAreRefused(final String method, final String path, final String rule) throws Exception {
        final HttpResponse<String> answer = send(method, NETWORK + path, TEXT, "");
        assertThat(answer.statusCode()).isEqualTo(method.equals("FOO") ? 405 : 400);
        assertThat(message(answer)).contains(rule);
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {"POST | application/yang-data+json | {\"a:b\": [ ]}",
        "POST | application/json | {a: [/**/]}", "PATCH | application/yang-patch+json | "
            + "{\"ietf-yang-patch:yang-patch\": {\"edit\": [{\"value\": {\"a:b\": []}}]}}"})
    void aListWithoutAnEntryIsRefusedWhoeverSendsIt(final String method, final String type, final String body)
            throws Exception {
        // Of strangers the values of long bodies are not judged.
        assertThat(message(send(method, NETWORK, type, body + " ".repeat(1 << 16)))).contains("without an entry");
        assertThat(received).isEmpty();
    }

    @Test
    void aBodyThatIsTooLongIsRefusedHoweverItComes() throws Exception {
        makeKnown();
        final String longest = " ".repeat(MOST);
        assertThat(send("PUT", NETWORK, TEXT, longest).statusCode()).isEqualTo(204);
        assertThat(received).containsExactly(MOST);
        final HttpResponse<String> announced = send("PUT", NETWORK, TEXT, longest + " ");
        // Without a length: chunks, of which there could be more.
        final HttpResponse<String> chunked = client.send(request("PUT", NETWORK, TEXT, BodyPublishers.ofInputStream(
            () -> new ByteArrayInputStream(new byte[MOST + 1]))), BodyHandlers.ofString());
        for (final HttpResponse<String> answer : List.of(announced, chunked)) {
            assertThat(answer.statusCode()).isEqualTo(413);
            assertThat(message(answer)).contains("longer than 200000 bytes", "several requests");
        }
        assertThat(received).hasSize(1);
    }

    @Test
    void aBodyThatIsTooDeepIsRefused() throws Exception {
        final String braces = "\"" + "{".repeat(100) + "\\\"" + "[".repeat(100) + "\"";
        assertThat(send("PUT", NETWORK, TEXT, "[" + braces + "]").statusCode()).isEqualTo(204);
        assertThat(send("PUT", NETWORK, TEXT, "[".repeat(64) + "]".repeat(64)).statusCode()).isEqualTo(204);
        assertThat(message(send("PUT", NETWORK, TEXT, "{\"a\":[".repeat(33)))).contains("66 levels", "more than 64");
        assertThat(send("PUT", NETWORK, "application/xml", "<a><b/></a>".repeat(100)).statusCode()).isEqualTo(204);
        assertThat(message(send("PUT", NETWORK, "application/xml", "<a>".repeat(65)))).contains("65 levels");
        assertThat(received).hasSize(3);
    }

    @Test
    void largeBodiesPassOneAfterTheOther() throws Exception {
        makeKnown();
        final String large = " ".repeat(SMALL + 1);
        final CompletableFuture<HttpResponse<String>> first = client.sendAsync(
            request("PUT", NETWORK + "/slow", TEXT, BodyPublishers.ofString(large)), BodyHandlers.ofString());
        assertThat(working.await(1, TimeUnit.MINUTES)).isTrue();
        final HttpResponse<String> second = send("PUT", NETWORK, TEXT, large);
        assertThat(second.statusCode()).isEqualTo(503);
        assertThat(message(second)).contains("repeat it later");
        assertThat(send("PUT", NETWORK, TEXT, " ".repeat(SMALL)).statusCode()).as("small").isEqualTo(204);
        done.countDown();
        assertThat(first.get(1, TimeUnit.MINUTES).statusCode()).isEqualTo(204);
        assertThat(send("PUT", NETWORK, TEXT, large).statusCode()).as("afterwards").isEqualTo(204);
    }

    @Test
    void largeBodiesShareTheirRoom() throws Exception {
        final BodyBudget budget = new BodyBudget(MOST, SMALL, SMALL, READERS, PATIENCE, System::nanoTime);
        final byte[] large = new byte[2 * SMALL];
        try (BodyBudget.Body first = budget.read(new ByteArrayInputStream(large))) {
            assertThat(first.bytes()).hasSize(2 * SMALL);
            assertThatExceptionOfType(BodyBudget.BusyException.class)
                .isThrownBy(() -> budget.read(new ByteArrayInputStream(new byte[SMALL + 1])));
            budget.read(new ByteArrayInputStream(new byte[SMALL])).close();
        }
        budget.read(new ByteArrayInputStream(large)).close();
    }

    /**
     * The whole answer to a request of whose body one byte is sent, without which Jetty takes no thread for it; the
     * server closes the connection.
     */
    private String answerToBeginning(final String more) throws IOException {
        try (Socket socket = new Socket(connector.getHost(), connector.getLocalPort())) {
            socket.setSoTimeout((int) PATIENCE.toMillis() / 3);
            socket.getOutputStream().write(("PUT " + NETWORK + " HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Length: 100\r\n" + more + "\r\n{").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void withoutAUserNoBodyIsWaitedFor() throws Exception {
        assertThat(answerToBeginning("")).startsWith("HTTP/1.1 401 ").contains(
            "WWW-Authenticate: BASIC realm=\"application\"", "Connection: close", "a user and a password");
        assertThat(answerToBeginning("Cookie: JSESSIONID=made-up\r\n")).startsWith("HTTP/1.1 401 ");
        assertThat(received).isEmpty();
        final HttpResponse<String> known = send("GET", NETWORK + "/session", TEXT, "");
        final String cookie = known.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
        assertThat(client.send(HttpRequest.newBuilder(known.uri()).header("Cookie", cookie)
            .PUT(BodyPublishers.ofString("{}")).build(), BodyHandlers.ofString()).statusCode()).isEqualTo(204);
    }

    @Test
    void strangersDoNotWaitToHaveALargeBodyPassed() throws Exception {
        makeKnown();
        final BodyPublisher large = BodyPublishers.ofString(" ".repeat(SMALL + 1));
        final CompletableFuture<HttpResponse<String>> first =
            client.sendAsync(request("PUT", NETWORK + "/slow", TEXT, large), BodyHandlers.ofString());
        assertThat(working.await(1, TimeUnit.MINUTES)).isTrue();
        final CompletableFuture<HttpResponse<String>> second =
            client.sendAsync(request("PUT", NETWORK, TEXT, large), BodyHandlers.ofString());
        final HttpRequest stranger = request("PUT", NETWORK, TEXT, large, OTHER_USER);
        assertThat(client.send(stranger, BodyHandlers.ofString()).statusCode()).isEqualTo(503);
        assertThat(second).as("a known user waits").isNotDone();
        done.countDown();
        assertThat(first.get(1, TimeUnit.MINUTES).statusCode()).isEqualTo(204);
        assertThat(second.get(1, TimeUnit.MINUTES).statusCode()).isEqualTo(204);
        assertThat(client.send(stranger, BodyHandlers.ofString()).statusCode()).as("alone").isEqualTo(204);
    }

    @Test
    void madeUpUsersTakeThePlacesOfStrangersAlone() throws Exception {
        assertThat(statusOfPut(USER)).as("the user is known from now on").isEqualTo(204);
        assertThat(client.send(request("GET", NETWORK + "/odd", TEXT, BodyPublishers.noBody(), MADE_UP),
            BodyHandlers.ofString()).statusCode()).as("does not tell that it is").isEqualTo(400);
        final CountDownLatch reading = new CountDownLatch(STRANGERS);
        for (int i = 0; i < STRANGERS; i++) {
            CompletableFuture.runAsync(() -> readSlowly(reading));
        }
        assertThat(reading.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(statusOfPut(MADE_UP)).isEqualTo(503);
        assertThat(statusOfPut(USER)).isEqualTo(204);
        final HttpResponse<String> unknown = client.send(put(OTHER_USER), BodyHandlers.ofString());
        assertThat(unknown.statusCode()).isEqualTo(503);
        assertThat(message(unknown)).contains("after a GET that succeeds");
        assertThat(client.send(request("GET", NETWORK, TEXT, BodyPublishers.noBody(), OTHER_USER),
            BodyHandlers.ofString()).statusCode()).isEqualTo(204);
        assertThat(statusOfPut(OTHER_USER)).isEqualTo(204);
    }

    /** Takes a place of a stranger until the end of the test. */
    private void readSlowly(final CountDownLatch reading) {
        try {
            strangers.read(new FilterInputStream(InputStream.nullInputStream()) {
                @Override
                public int read(final byte[] buffer, final int offset, final int length) throws IOException {
                    reading.countDown();
                    try {
                        done.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    return -1;
                }
            }).close();
        } catch (IOException | BodyBudget.TooLargeException | BodyBudget.BusyException
                | BodyBudget.SlowException e) {
            throw new IllegalStateException(e);
        }
    }

    private void makeKnown() throws Exception {
        assertThat(statusOfPut(USER)).isEqualTo(204);
        received.clear();
    }

    private int statusOfPut(final String authorization) throws Exception {
        return client.send(put(authorization), BodyHandlers.ofString()).statusCode();
    }

    private HttpRequest put(final String authorization) {
        return request("PUT", NETWORK, TEXT, BodyPublishers.ofString("{}"), authorization);
    }

    @Test
    void aSilentSenderIsToldSo() throws Exception {
        connector.setIdleTimeout(500);
        assertThat(answerToBeginning("Authorization: Basic eDp5\r\n")).startsWith("HTTP/1.1 408 ")
            .contains("Connection: close", "did not come in time");
        assertThat(received).isEmpty();
    }

    @Test
    void aBodyThatTricklesIsGivenUp() {
        final AtomicLong seconds = new AtomicLong();
        final BodyBudget budget = new BodyBudget(MOST, SMALL, SMALL, 1, PATIENCE,
            () -> TimeUnit.SECONDS.toNanos(seconds.get()));
        final InputStream trickle = new InputStream() {
            @Override
            public int read() {
                return ' ';
            }

            @Override
            public int read(final byte[] buffer, final int offset, final int length) {
                seconds.incrementAndGet();
                return seconds.get() < 2 * PATIENCE.toSeconds() ? 1 : -1;
            }
        };
        assertThatExceptionOfType(BodyBudget.SlowException.class).isThrownBy(() -> budget.read(trickle));
        assertThat(seconds).hasValue(PATIENCE.toSeconds() + 1);
    }

    @Test
    void fewBodiesAreReadAtOnce() throws Exception {
        final BodyBudget budget = new BodyBudget(MOST, SMALL, SMALL, 1, PATIENCE, System::nanoTime);
        final InputStream meanwhile = new FilterInputStream(InputStream.nullInputStream()) {
            @Override
            public int read(final byte[] buffer, final int offset, final int length) {
                assertThatExceptionOfType(BodyBudget.BusyException.class)
                    .isThrownBy(() -> budget.read(new ByteArrayInputStream(new byte[1])));
                return -1;
            }
        };
        budget.read(meanwhile).close();
        budget.read(new ByteArrayInputStream(new byte[1])).close();
    }
}
