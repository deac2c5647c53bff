// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import com.google.gson.JsonParser;
import io.penstock.events.OperatorEvent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/** The filter in the server that Karaf has, before a servlet that answers what it got. */
abstract class RequestFilterCase {
    private static final EffectiveModelContext MODELS = BindingRuntimeHelpers.createEffectiveModel(Network.class);
    static final int MOST = 200_000;
    static final int SMALL = 1000;
    private static final int READERS = 10;
    static final int STRANGERS = 2;
    static final String USER = "Basic eDp5";
    static final String OTHER_USER = "Basic bmV3OnVzZXI=";
    static final String MADE_UP = "Basic bWFkZTp1cA==";
    static final Duration PATIENCE = Duration.ofMinutes(5);
    static final String NETWORK = "/rests/data/penstock:network";
    static final String JSON = "application/yang-data+json";
    /** Of a body of which the form is not judged. */
    static final String TEXT = "text/plain";

    private final Server server = new Server();
    final ServerConnector connector = new ServerConnector(server);
    final HttpClient client = HttpClient.newHttpClient();
    final Queue<Integer> received = new ConcurrentLinkedQueue<>();
    final BodyBudget strangers = new BodyBudget(MOST, SMALL, MOST, STRANGERS, PATIENCE, System::nanoTime);
    final CountDownLatch working = new CountDownLatch(1);
    final CountDownLatch done = new CountDownLatch(1);

    final Queue<Runnable> later = new ConcurrentLinkedQueue<>();
    final Queue<OperatorEvent> told = new ConcurrentLinkedQueue<>();
    final AcceptedChanges changes = new AcceptedChanges((task, pause) -> later.add(task), () -> { });

    volatile Optional<String> shortage = Optional.empty();

    @BeforeEach
    void start() throws Exception {
        connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
        server.addConnector(connector);
        final ServletContextHandler context = new ServletContextHandler(ServletContextHandler.SESSIONS);
        context.setContextPath("/rests");
        context.addFilter(new FilterHolder(new RequestFilter(() -> MODELS, () -> shortage,
            new BodyBudget(MOST, SMALL, 2 * MOST, READERS, PATIENCE, System::nanoTime), strangers,
            patience(), changes)), "/*", EnumSet.of(DispatcherType.REQUEST));
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
                if (request.getRequestURI().endsWith("chosen") && request.getContentType().contains("patch")) {
                    // As RESTCONF answers a YANG Patch.
                    response.setStatus(HttpServletResponse.SC_OK);
                    response.getWriter().write("{\"ietf-yang-patch:yang-patch-status\":{\"ok\":[null]}}");
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
                        done.await(5, TimeUnit.MINUTES);
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

    /** How long a large body of a known user waits for another one. */
    Duration patience() {
        return PATIENCE;
    }

    @AfterEach
    void stop() throws Exception {
        done.countDown();
        server.stop();
    }

    HttpRequest request(final String method, final String path, final String type, final BodyPublisher body) {
        return request(method, path, type, body, USER);
    }

    HttpRequest request(final String method, final String path, final String type, final BodyPublisher body,
            final String authorization) {
        return HttpRequest.newBuilder(URI.create("http://" + connector.getHost() + ":" + connector.getLocalPort()
            + path)).header("Content-Type", type).header("Authorization", authorization).method(method, body).build();
    }

    HttpResponse<String> send(final String method, final String path, final String type, final String body)
            throws Exception {
        return client.send(request(method, path, type, BodyPublishers.ofString(body)), BodyHandlers.ofString());
    }

    static String message(final HttpResponse<String> answer) {
        return JsonParser.parseString(answer.body()).getAsJsonObject().getAsJsonObject("errors")
            .getAsJsonArray("error").get(0).getAsJsonObject().get("error-message").getAsString();
    }
}
