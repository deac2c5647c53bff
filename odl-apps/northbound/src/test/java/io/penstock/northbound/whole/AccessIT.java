// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.access.audit.AuditLog;
import io.penstock.access.audit.Changed;
import io.penstock.access.history.History;
import io.penstock.access.history.HistoryRpc;
import io.penstock.access.login.AccountRpcs;
import io.penstock.access.login.AccountStore;
import io.penstock.access.login.Logins;
import io.penstock.access.web.AccessFilter;
import io.penstock.southbound.openflow.MdSalInProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.servlet.DispatcherType;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Accounts, roles and the audit log before a servlet that does to the datastore what RESTCONF does. */
@Tag("safety")
class AccessIT {
    private static final String PASSWORD = "a long password";
    private static final String ADMINS = "abcdefghijklmnopqrstuvwxyz012345";
    private static final String DATA = "/rests/data/";
    private static final String POOL = "penstock:network/pool=p";

    @TempDir
    private Path directory;
    private final MdSalInProcess mdsal = new MdSalInProcess();
    private final DataClient data = new DataClient(mdsal);
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);
    private final HttpClient client = HttpClient.newHttpClient();
    private AccountStore accounts;
    private AccountRpcs rpcs;
    private HistoryRpc history;
    private AuditLog audit;

    @BeforeEach
    void start() throws Exception {
        Files.writeString(directory.resolve("password"), ADMINS);
        accounts = new AccountStore(mdsal.broker());
        rpcs = new AccountRpcs(accounts, mdsal.rpcProvider());
        history = new HistoryRpc(new History(log(), "member-1"), mdsal.rpcProvider());
        audit = new AuditLog(log(), "member-1", Clock.systemUTC());
        connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
        server.addConnector(connector);
        final ServletContextHandler context = new ServletContextHandler();
        context.setContextPath("/rests");
        context.addFilter(new FilterHolder(new StoredBodies()), "/*", EnumSet.of(DispatcherType.REQUEST));
        context.addFilter(new FilterHolder(new AccessFilter(new Logins(accounts, directory.resolve("password")), audit,
            new Changed(mdsal.domBroker(), mdsal::model))), "/*", EnumSet.of(DispatcherType.REQUEST));
        context.addServlet(new ServletHolder(new Restconf()), "/*");
        server.setHandler(context);
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
        audit.close();
        rpcs.close();
        history.close();
        accounts.close();
        mdsal.close();
    }

    private Path log() {
        return directory.resolve("audit-log");
    }

    /** Keeps bodies as the filter of requests does. */
    private static final class StoredBodies implements Filter {
        @Override
        public void init(final FilterConfig configuration) {
            // Has none.
        }

        @Override
        public void doFilter(final ServletRequest request, final ServletResponse response, final FilterChain chain)
                throws IOException, ServletException {
            if (!"/none".equals(((HttpServletRequest) request).getPathInfo())) {
                request.setAttribute(AccessFilter.BODY, request.getInputStream().readAllBytes());
            }
            chain.doFilter(request, response);
        }

        @Override
        public void destroy() {
            // Holds nothing.
        }
    }

    /** What RESTCONF does. */
    private final class Restconf extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void service(final HttpServletRequest request, final HttpServletResponse response)
                throws IOException {
            final String body = request.getAttribute(AccessFilter.BODY) instanceof byte[] bytes
                ? new String(bytes, StandardCharsets.UTF_8) : "";
            if (!"GET".equals(request.getMethod())) {
                response.setStatus(data.data(request.getMethod(), request.getPathInfo().substring("/data/".length()),
                    body).isGood() ? HttpServletResponse.SC_NO_CONTENT : HttpServletResponse.SC_BAD_REQUEST);
            }
        }
    }

    private HttpResponse<String> send(final String name, final String password, final String method, final String path,
            final String body) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(URI.create("http://" + connector.getHost() + ":"
                + connector.getLocalPort() + path)).header("Content-Type", "application/yang-data+json")
            .header("Authorization", "Basic " + Base64.getEncoder().encodeToString((name + ":" + password)
                .getBytes(StandardCharsets.UTF_8)))
            .method(method, BodyPublishers.ofString(body.replace('\'', '"'))).build(), BodyHandlers.ofString());
    }

    private int status(final String name, final String method, final String path, final String body)
            throws IOException, InterruptedException {
        return send(name, name.equals("admin") ? ADMINS : PASSWORD, method, path, body).statusCode();
    }

    private void set(final String name, final String more) {
        data.call("penstock-access:set-user", "{'name': '" + name + "', " + more + "}");
    }

    private List<JsonObject> lines() throws IOException {
        try (Stream<Path> files = Files.list(log())) {
            return files.sorted().flatMap(file -> {
                try {
                    return Files.readAllLines(file).stream();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }).map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
        }
    }

    private Optional<JsonObject> last(final String event) throws IOException {
        return lines().stream().filter(line -> line.get("event").getAsString().equals(event))
            .reduce((first, second) -> second);
    }

    @Test
    void accountsComeAndGo() throws Exception {
        set("op", "'is-new': true, 'role': 'operator', 'password': '" + PASSWORD + "'");
        set("red", "'is-new': true, 'role': 'tenant', 'tenant': ['red'], 'password': '" + PASSWORD + "'");
        assertThat(status("op", "GET", DATA + "penstock:network", "")).isEqualTo(200);
        assertThat(status("red", "GET", DATA + "penstock:network", "")).isEqualTo(403);
        assertThat(status("red", "GET", DATA + "penstock:network/tenant=red", "")).isEqualTo(200);
        assertThat(send("op", "another", "GET", DATA + "penstock:network", "").statusCode()).isEqualTo(401);
        assertThat(data.call("penstock-access:list-users", "{}").toString()).contains("red", "operator")
            .doesNotContain("pbkdf2");
        // Another role counts at once, and a removed account as well, though the password is known.
        set("red", "'role': 'reader', 'tenant': []");
        assertThat(status("red", "GET", DATA + "penstock:network", "")).isEqualTo(200);
        data.call("penstock-access:delete-user", "{'name': 'red'}");
        assertThat(status("red", "GET", DATA + "penstock:network", "")).isEqualTo(401);
        for (final String odd : List.of(
                "{'name': 'admin', 'is-new': true, 'role': 'reader', 'password': 'xxxxxxxxxxxx'}",
                "{'name': 'op', 'is-new': true, 'role': 'reader', 'password': 'xxxxxxxxxxxx'}",
                "{'name': 'new', 'role': 'reader', 'password': 'xxxxxxxxxxxx'}", "{'name': 'op', 'role': 'tenant'}",
                "{'name': 'new', 'is-new': true, 'role': 'reader'}", "{'name': 'op', 'tenant': ['red']}", "{}",
                "{'name': 'op', 'role': 'tenant', 'tenant': ['red:x']}")) {
            assertThat(data.operation("penstock-access:set-user", odd).isRefusal()).as(odd).isTrue();
        }
        assertThat(status("op", "GET", DATA + "penstock:network", "")).isEqualTo(200);
    }

    private int quietly(final String name, final String path) {
        try {
            return status(name, "GET", DATA + path, "");
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theLogHasWhoChangedWhatBeforeAndAfter() throws Exception {
        status("admin", "PUT", DATA + POOL, "{'penstock:pool': [{'name': 'p', 'prefix': ['203.0.113.0/28']}]}");
        status("admin", "PUT", DATA + POOL,
            "{'penstock:pool': [{'name': 'p', 'prefix': ['203.0.113.0/28'], 'force': true}]}");
        assertThat(last("request").orElseThrow().toString()).contains("\"user\":\"admin\"", "\"role\":\"provider\"",
            "\"source\":\"127.0.0.1\"", "\"method\":\"PUT\"", "\"path\":\"" + DATA + POOL + "\"");
        final JsonObject done = last("done").orElseThrow();
        assertThat(done.get("request")).isEqualTo(last("request").orElseThrow().get("number"));
        assertThat(done.get("before").toString())
            .isEqualTo("[{\"at\":\"penstock:network/pool=p\",\"is\":{\"name\":\"p\"}}]");
        assertThat(done.get("after").toString())
            .isEqualTo("[{\"at\":\"penstock:network/pool=p\",\"is\":{\"name\":\"p\",\"force\":\"true\"}}]");
        status("admin", "PATCH", DATA + "penstock:network", "{'penstock:network': {'pool': [{'name': 'q', 'prefix': "
            + "['203.0.113.16/28']}], 'tenant': [{'name': 'red'}, {'name': 'blue'}]}}");
        assertThat(last("done").orElseThrow().get("after").toString()).contains("pool=q", "tenant=red", "tenant=blue")
            .doesNotContain("pool=p");
        assertThat(status("admin", "PUT", DATA + "penstock:network/tenant=red/dns", "{'penstock:dns': {'domain': "
            + "'red.example', 'record': [{'name': 'www', 'type': 'A', 'data': '10.0.0.1'}]}}")).isEqualTo(204);
        assertThat(last("done").orElseThrow().get("after").toString()).contains("\"data\":\"10.0.0.1\"");
        assertThat(status("admin", "DELETE", DATA + "penstock:network/tenant=red/dns", ""))
            .isEqualTo(204);
        assertThat(last("done").orElseThrow().get("before").toString()).contains("\"data\":\"10.0.0.1\"");
        assertThat(last("done").orElseThrow().get("after").toString()).isEqualTo("[]");
        // What is refused by the datastore changes nothing, and says so.
        assertThat(status("admin", "DELETE", DATA + "penstock:network/pool=none", "")).isEqualTo(400);
        assertThat(last("done").orElseThrow().get("status").getAsInt()).isEqualTo(400);
        assertThat(last("done").orElseThrow().get("after").toString()).isEqualTo("[]");
    }

    @Test
    void theHistoryHasTheChangesThatTheLogHas() throws Exception {
        set("op", "'is-new': true, 'role': 'operator', 'password': '" + PASSWORD + "'");
        status("op", "PUT", DATA + POOL, "{'penstock:pool': [{'name': 'p', 'prefix': ['203.0.113.0/28']}]}");
        status("op", "PUT", DATA + "penstock:network/tenant=red", "{'penstock:tenant': [{'name': 'red'}]}");
        status("admin", "PUT", DATA + POOL,
            "{'penstock:pool': [{'name': 'p', 'prefix': ['203.0.113.0/28'], 'force': true}]}");
        final JsonObject all = data.call("penstock-access:history", "{}");
        assertThat(all.get("member").getAsString()).isEqualTo("member-1");
        assertThat(all.getAsJsonArray("change")).hasSize(3);
        assertThat(all.toString()).doesNotContain(PASSWORD, ADMINS, "set-user");
        final JsonObject pools = data.call("penstock-access:history", "{'kind': 'pool', 'name': 'p', 'last': 1}");
        final JsonObject change = pools.getAsJsonArray("change").get(0).getAsJsonObject();
        assertThat(change.get("user").getAsString()).isEqualTo("admin");
        assertThat(change.get("source").getAsString()).isEqualTo("127.0.0.1");
        final JsonObject entry = change.getAsJsonArray("entry").get(0).getAsJsonObject();
        assertThat(entry.get("before").getAsString()).isEqualTo("{\"name\":\"p\"}");
        assertThat(entry.get("after").getAsString()).isEqualTo("{\"name\":\"p\",\"force\":\"true\"}");
        final JsonObject earlier = data.call("penstock-access:history", "{'kind': 'pool', 'name': 'p', 'before': "
            + pools.get("continue-before").getAsString() + "}");
        assertThat(earlier.getAsJsonArray("change")).singleElement().satisfies(each ->
            assertThat(each.getAsJsonObject().get("user").getAsString()).isEqualTo("op"));
        assertThat(earlier.has("continue-before")).isFalse();
        assertThat(data.call("penstock-access:history", "{'since': '2999-01-01T00:00:00+01:00'}").has("change"))
            .isFalse();
        for (final String odd : List.of("{'name': 'p'}", "{'since': '2026-13-01T00:00:00Z'}")) {
            assertThat(data.operation("penstock-access:history", odd).isRefusal()).as(odd).isTrue();
        }
    }

    @Test
    void refusalsNameUserRoleAndPathAndAreLogged() throws Exception {
        set("red", "'is-new': true, 'role': 'tenant', 'tenant': ['red'], 'password': '" + PASSWORD + "'");
        final HttpResponse<String> answer = send("red", PASSWORD, "DELETE", DATA + "penstock:network/tenant=blue", "");
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("\"access-denied\"", "user red, role tenant, path " + DATA
            + "penstock:network/tenant=blue: role tenant has no DELETE of it");
        assertThat(last("refused").orElseThrow().toString()).contains("\"user\":\"red\"", "tenant=blue", "no DELETE");
        assertThat(send("red", "wrong", "GET", DATA, "").headers().firstValue("WWW-Authenticate")).isPresent();
        assertThat(last("login-failed").orElseThrow().get("user").getAsString()).isEqualTo("red");
        IntStream.range(0, 10).forEach(each -> quietly("made-up" + each, "penstock:network"));
        HttpResponse<String> later = send("made-up", "wrong", "GET", DATA, "");
        // Where the pause has ended meanwhile, the next one is twice as long.
        for (int more = 0; more < 10 && later.statusCode() != 429; more++) {
            later = send("made-up", "wrong", "GET", DATA, "");
        }
        assertThat(later.statusCode()).isEqualTo(429);
        assertThat(later.headers().firstValueAsLong("Retry-After").orElseThrow()).isBetween(1L, 61L);
        assertThat(status("red", "GET", DATA + "penstock:network/tenant=red", "")).isEqualTo(200);
        assertThat(status("admin", "GET", DATA + "penstock:network", "")).isEqualTo(200);
        assertThat(Files.readString(files().get(0))).doesNotContain(PASSWORD, ADMINS, "pbkdf2");
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(log())) {
            return files.toList();
        }
    }

    @Test
    void nothingIsChangedThatCannotBeLogged() throws Exception {
        Files.writeString(log(), "in the way");
        final String pool = "{'penstock:pool': [{'name': 'p', 'prefix': ['203.0.113.0/28']}]}";
        final HttpResponse<String> refused = send("admin", ADMINS, "PUT", DATA + POOL, pool);
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("nothing is changed: the audit log in " + log());
        assertThat(data.has(POOL)).isFalse();
        assertThat(status("admin", "GET", DATA + "penstock:network", "")).isEqualTo(200);
        Files.delete(log());
        assertThat(status("admin", "PUT", DATA + POOL, pool)).isEqualTo(204);
        assertThat(data.has(POOL)).isTrue();
    }

    @Test
    void aChangeIsRefusedWhoseBodyWasNotRead() throws Exception {
        assertThat(status("admin", "POST", "/rests/none", "{}")).isEqualTo(503);
        assertThat(status("admin", "GET", "/rests/none", "")).isEqualTo(200);
    }
}
