// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.web;

import static java.util.Objects.requireNonNull;

import com.google.gson.JsonObject;
import io.penstock.access.Access;
import io.penstock.access.Call;
import io.penstock.access.User;
import io.penstock.access.audit.AuditLog;
import io.penstock.access.audit.Changed;
import io.penstock.access.login.Login;
import io.penstock.access.login.Logins;
import java.io.IOException;
import java.util.Collections;
import java.util.Optional;
import javax.servlet.AsyncEvent;
import javax.servlet.AsyncListener;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * Lets a request through whose user has proved who it is and may send it, and writes what changes something into the
 * audit log first. It is behind {@code RequestFilter}, which has read the body, and in front of the servlet. What it
 * cannot judge it refuses. Safe for all threads.
 */
public final class AccessFilter implements Filter {
    /**
     * The attribute of a request with its body, as bytes. The same as BODY in RequestFilter.java of the module
     * requests.
     */
    public static final String BODY = "io.penstock.body";

    private static final String AUTHORIZATION = "Authorization";
    private static final String DENIED = "access-denied";

    private final Logins logins;
    private final AuditLog audit;
    private final Changed changed;
    private final Access access = new Access();

    /** A filter of some logins, which writes an audit log. */
    public AccessFilter(final Logins logins, final AuditLog audit, final Changed changed) {
        this.logins = requireNonNull(logins);
        this.audit = requireNonNull(audit);
        this.changed = requireNonNull(changed);
    }

    @Override
    public void init(final FilterConfig configuration) {
        // Has none.
    }

    @Override
    public void destroy() {
        // Holds nothing.
    }

    @Override
    public void doFilter(final ServletRequest request, final ServletResponse response, final FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse answer)) {
            throw new ServletException("only HTTP is answered");
        }
        final Login login = logins.login(http.getHeader(AUTHORIZATION), http.getRemoteAddr());
        if (login instanceof Login.Accepted accepted) {
            judge(http, answer, chain, accepted.user());
        } else if (login instanceof Login.Later later) {
            final long seconds = later.pause().toSeconds() + 1;
            answer.setHeader("Retry-After", Long.toString(seconds));
            Answers.refuse(answer, Answers.TOO_MANY, "resource-denied", "too many logins have failed; repeat it in "
                + seconds + " s");
        } else if (login instanceof Login.NotReady) {
            Answers.refuse(answer, HttpServletResponse.SC_SERVICE_UNAVAILABLE, "resource-denied",
                "the accounts have not been read yet; repeat it");
        } else {
            final String name = ((Login.Refused) login).name();
            if (http.getHeader(AUTHORIZATION) != null) {
                audit.refused("login-failed", Entries.of(http, name, Optional.empty()));
            }
            answer.setHeader("WWW-Authenticate", "BASIC realm=\"application\"");
            Answers.refuse(answer, HttpServletResponse.SC_UNAUTHORIZED, DENIED, "a user and a password are required");
        }
    }

    private void judge(final HttpServletRequest request, final HttpServletResponse response, final FilterChain chain,
            final User user) throws IOException, ServletException {
        final boolean isRead = new Call(request.getMethod(), "", "", new byte[0]).isRead();
        final Object body = request.getAttribute(BODY);
        if (!isRead && !(body instanceof byte[])) {
            // Only RESTCONF takes changes, and its body comes by RequestFilter.
            Answers.refuse(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, "resource-denied",
                "changes are not judged here, or not yet");
            return;
        }
        final Call call = new Call(request.getMethod(), request.getRequestURI(), type(request),
            body instanceof byte[] bytes ? bytes : new byte[0]);
        if (!access.isCanonical(call)) {
            Answers.refuse(response, HttpServletResponse.SC_BAD_REQUEST, "invalid-value", "the path has another"
                + " spelling than RESTCONF's: empty or dotted parts, parameters, or what is no percent-encoding");
            return;
        }
        final Optional<String> refusal = access.refusal(user, call);
        if (refusal.isPresent()) {
            final JsonObject entry = Entries.of(request, user.name(), Optional.of(user));
            entry.addProperty("reason", refusal.orElseThrow());
            audit.refused("refused", entry);
            Answers.refuse(response, HttpServletResponse.SC_FORBIDDEN, DENIED, "user " + user.name() + ", role "
                + user.role().text() + ", path " + Entries.shortened(request.getRequestURI()) + ": "
                + refusal.orElseThrow());
        } else if (access.hasEffect(call)) {
            carryOut(request, response, chain, user, call);
        } else {
            chain.doFilter(request, response);
        }
    }

    /** Several are of no request that is understood in one way. */
    private static String type(final HttpServletRequest request) {
        return Collections.list(request.getHeaders("Content-Type")).size() > 1 ? ""
            : Optional.ofNullable(request.getContentType()).orElse("");
    }

    private void carryOut(final HttpServletRequest request, final HttpServletResponse response,
            final FilterChain chain, final User user, final Call call) throws IOException, ServletException {
        final JsonObject entry = Entries.of(request, user.name(), Optional.of(user));
        if (call.isOperation()) {
            entry.add("input", Entries.input(call.body()));
        }
        final long number;
        try {
            number = audit.request(entry);
        } catch (AuditLog.UnwritableException e) {
            Answers.refuse(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, "resource-denied",
                "nothing is changed: " + e.getMessage());
            return;
        }
        final Changed.State before = changed.read(call);
        boolean isDone = false;
        try {
            chain.doFilter(request, response);
            isDone = true;
        } finally {
            if (isDone && request.isAsyncStarted()) {
                request.getAsyncContext().addListener(new Completion(() -> done(number, response.getStatus(), before)));
            } else {
                done(number, isDone ? response.getStatus() : HttpServletResponse.SC_INTERNAL_SERVER_ERROR, before);
            }
        }
    }

    private void done(final long number, final int status, final Changed.State before) {
        final JsonObject result = new JsonObject();
        result.addProperty("status", status);
        if (!before.places().isEmpty()) {
            Changed.difference(before, changed.again(before)).entrySet()
                .forEach(each -> result.add(each.getKey(), each.getValue()));
        }
        audit.done(number, result);
    }

    /** Does something when an answer has been given, however it ends. */
    private record Completion(Runnable task) implements AsyncListener {
        @Override
        public void onComplete(final AsyncEvent event) {
            task.run();
        }

        @Override
        public void onTimeout(final AsyncEvent event) {
            // It completes.
        }

        @Override
        public void onError(final AsyncEvent event) {
            // It completes.
        }

        @Override
        public void onStartAsync(final AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }
}
