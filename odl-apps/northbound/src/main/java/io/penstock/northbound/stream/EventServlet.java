// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import javax.servlet.ServletOutputStream;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Sends events to a client as they happen, as server-sent events, from the moment that its request has come. */
final class EventServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final int SERVICE_UNAVAILABLE = HttpServletResponse.SC_SERVICE_UNAVAILABLE;
    /** A client that has gone is noticed when something is sent to it, and a proxy sees that the stream lives. */
    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(10);

    private final transient EventHub hub;
    private final transient Duration pause;

    EventServlet(final EventHub hub) {
        this(hub, SIGN_OF_LIFE);
    }

    EventServlet(final EventHub hub, final Duration pause) {
        this.hub = requireNonNull(hub);
        this.pause = requireNonNull(pause);
    }

    /** Its answer would have no body that can fail, so a listener would never be seen to have left. */
    @Override
    protected void doHead(final HttpServletRequest request, final HttpServletResponse response) throws IOException {
        response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED, "events are listened to by GET");
    }

    @Override
    protected void doGet(final HttpServletRequest request, final HttpServletResponse response) throws IOException {
        final Optional<EventHub.Listener> place = hub.listen();
        if (place.isEmpty()) {
            response.sendError(SERVICE_UNAVAILABLE, "as many as possible listen to events already");
            return;
        }
        try (EventHub.Listener listener = place.orElseThrow()) {
            response.setContentType("text/event-stream");
            response.setCharacterEncoding(StandardCharsets.UTF_8.name());
            response.setHeader("Cache-Control", "no-store");
            send(response.getOutputStream(), ": listening");
            boolean lasts = true;
            while (lasts) {
                lasts = !listener.isCutOff();
                final Optional<String> event = listener.next(lasts ? pause : Duration.ZERO);
                send(response.getOutputStream(), event.map(json -> "data: " + json).orElse(":"));
                lasts |= event.isPresent();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(final ServletOutputStream output, final String text) throws IOException {
        output.write((text + "\n\n").getBytes(StandardCharsets.UTF_8));
        output.flush();
    }
}
