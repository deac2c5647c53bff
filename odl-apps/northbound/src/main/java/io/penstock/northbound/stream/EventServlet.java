// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.servlet.ServletOutputStream;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * Sends events to a client as they happen, as server-sent events, from the moment that its request has come until the
 * client goes, its user is accepted no more, or the path or the controller ends.
 */
final class EventServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final int SERVICE_UNAVAILABLE = HttpServletResponse.SC_SERVICE_UNAVAILABLE;
    /** A client that has gone is noticed when something is sent to it, and a proxy sees that the stream lives. */
    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(10);

    /** How long a user that was removed, or whose password was changed, listens on, but for one sign of life. */
    private static final Duration TRUST = Duration.ofSeconds(20);

    private final transient EventHub hub;
    private final transient Users users;
    private final transient Duration pause;
    private final transient Duration trust;
    private final transient Set<EventHub.Listener> listening = ConcurrentHashMap.newKeySet();
    private transient volatile boolean ended;

    EventServlet(final EventHub hub, final Users users) {
        this(hub, users, SIGN_OF_LIFE, TRUST);
    }

    EventServlet(final EventHub hub, final Users users, final Duration pause, final Duration trust) {
        this.hub = requireNonNull(hub);
        this.users = requireNonNull(users);
        this.pause = requireNonNull(pause);
        this.trust = requireNonNull(trust);
    }

    /** Ends all streams, and begins none any more. */
    void end() {
        ended = true;
        listening.forEach(EventHub.Listener::close);
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
            listening.add(listener);
            if (ended) {
                listener.close();
            }
            response.setContentType("text/event-stream");
            response.setCharacterEncoding(StandardCharsets.UTF_8.name());
            response.setHeader("Cache-Control", "no-store");
            send(response.getOutputStream(), ": listening");
            long accepted = System.nanoTime();
            boolean lasts = true;
            while (lasts) {
                if (System.nanoTime() - accepted >= trust.toNanos()) {
                    if (!users.accept(request)) {
                        return;
                    }
                    accepted = System.nanoTime();
                }
                lasts = !listener.isCutOff();
                final Optional<String> event = listener.next(lasts ? pause : Duration.ZERO);
                send(response.getOutputStream(), event.map(json -> "data: " + json).orElse(":"));
                lasts |= event.isPresent();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            listening.remove(place.orElseThrow());
        }
    }

    private static void send(final ServletOutputStream output, final String text) throws IOException {
        output.write((text + "\n\n").getBytes(StandardCharsets.UTF_8));
        output.flush();
    }
}
