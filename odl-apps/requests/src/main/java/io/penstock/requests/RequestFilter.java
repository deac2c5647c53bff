// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static java.util.Objects.requireNonNull;

import io.penstock.base.disk.DiskSpace;
import io.penstock.events.OperatorEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.opendaylight.mdsal.dom.api.DOMSchemaService;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses requests that RESTCONF or the datastore take badly, before they read them: bodies that are too long or too
 * deep, bodies of senders that do not say who they are, changes of single values ({@link Targets}), bodies that break
 * the model ({@link Bodies}, {@link Edits}), and all changes while the disk is short of room. Tells in words of the
 * model what RESTCONF refuses ({@link RestconfErrors}). OpenDaylight's chain of filters takes each service with this
 * property, for all its servlets, before authentication. Safe for all threads.
 */
@Component(service = Filter.class, immediate = true,
    property = "org.opendaylight.aaa.filterchain.filter:Boolean=true")
public final class RequestFilter implements Filter {
    private static final Logger LOG = LoggerFactory.getLogger(RequestFilter.class);
    /** Bytes; the datastore's journal takes an entry of 16 MiB, and binary is shorter than JSON. */
    private static final int MOST_BODY = 16 << 20;
    /** Bytes of a body that is small; those of the largest tenants of the tests have a tenth. */
    private static final int SMALL_BODY = 1 << 20;
    /** Bytes of all large bodies that are being read. */
    private static final int LARGE_BODIES = 4 * MOST_BODY;
    /** Bodies that are being read; each has one of the 200 threads of the server. */
    private static final int READERS = 50;
    /** The same of senders that are not known yet, which may make up a user. One of their bodies may be the longest. */
    private static final int STRANGERS = 5;
    /**
     * Bytes of a body whose values are judged although its sender is not known, which takes milliseconds. RESTCONF
     * judges a longer one after it has checked the password.
     */
    private static final int STRANGERS_JUDGED = 1 << 16;
    /** Objects and lists that a value of an edit in a YANG Patch is in. */
    private static final int EDITED = 5;
    /** The model has eleven levels, and JSON two for an entry. */
    private static final int MOST_DEPTH = 64;
    /** Beyond it a sender is too slow, and OpenDaylight's work on one large body takes too long, or hangs. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** As Shiro writes it in OpenDaylight ({@code BasicHttpAuthenticationFilter}). */
    private static final String CHALLENGE = "BASIC realm=\"application\"";
    private static final String YANG_PATCH = "application/yang-patch+json";
    private static final String DATA = "/data";
    private static final String OPERATIONS = "/operations/";
    private static final List<String> WRITES = List.of("POST", "PUT", "PATCH", "DELETE");
    /** Statuses of refusals of users. RESTCONF has no others of them. */
    private static final Set<Integer> ACCESS = Set.of(HttpServletResponse.SC_UNAUTHORIZED,
        HttpServletResponse.SC_FORBIDDEN, 429);
    private static final Set<String> METHODS = Set.of("POST", "PUT", "PATCH", "DELETE", "GET", "HEAD", "OPTIONS");

    private final Targets targets;
    private final Bodies bodies;
    private final Edits edits;
    private final RestconfErrors errors;
    private final OtherCases exchange;
    private final NamedTenants tenants;
    private final Supplier<Optional<String>> shortage;
    private final BodyBudget budget;
    private final BodyBudget strangers;
    private final Duration patience;
    private final AcceptedChanges changes;
    private final KnownSenders senders = new KnownSenders();
    /**
     * Large bodies take ten times their length in memory when they are parsed: one after the other. It is fair, so that
     * no stranger comes before a known sender that waits.
     */
    private final Semaphore large = new Semaphore(1, true);

    /** A filter by the models of the controller. */
    @Activate
    public RequestFilter(@Reference final DOMSchemaService models, @Reference final AcceptedChanges changes,
            final BundleContext bundles) {
        this(models::getGlobalContext, new DiskSpace(Path.of(bundles.getProperty("karaf.base")))::shortage,
            new BodyBudget(MOST_BODY, SMALL_BODY, LARGE_BODIES, READERS, PATIENCE, System::nanoTime),
            new BodyBudget(MOST_BODY, SMALL_BODY, MOST_BODY, STRANGERS, PATIENCE, System::nanoTime), PATIENCE, changes);
    }

    RequestFilter(final Supplier<EffectiveModelContext> models, final Supplier<Optional<String>> shortage,
            final BodyBudget budget, final BodyBudget strangers, final Duration patience,
            final AcceptedChanges changes) {
        targets = new Targets(models);
        bodies = new Bodies(models);
        edits = new Edits(bodies, models);
        errors = new RestconfErrors(new Subjects(models));
        exchange = new OtherCases(models);
        tenants = new NamedTenants(models);
        this.shortage = requireNonNull(shortage);
        this.budget = requireNonNull(budget);
        this.strangers = requireNonNull(strangers);
        this.patience = requireNonNull(patience);
        this.changes = requireNonNull(changes);
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
        if (request instanceof HttpServletRequest http && response instanceof HttpServletResponse answer) {
            final Optional<Refusal> odd = path(http, DATA).flatMap(path -> METHODS.contains(http.getMethod())
                ? targets.refusalOfPath(path) : Optional.of(new Refusal(Refusal.NOT_ALLOWED, "operation-not-supported",
                    TypeRules.shortened(http.getMethod()) + " is no method of RFC 8040")));
            if (WRITES.contains(http.getMethod())) {
                filter(http, answer, chain, odd);
            } else if (odd.isPresent()) {
                refuse(http, answer, odd.orElseThrow());
            } else if ("GET".equals(http.getMethod())) {
                pass(http, answer, chain);
            } else {
                chain.doFilter(request, response);
            }
        } else {
            chain.doFilter(request, response);
        }
    }

    private void filter(final HttpServletRequest request, final HttpServletResponse response, final FilterChain chain,
            final Optional<Refusal> ofPath) throws IOException, ServletException {
        final Optional<Refusal> unread = refusalUnread(request, ofPath);
        if (unread.isPresent()) {
            refuse(request, response, unread.orElseThrow());
            return;
        }
        try (BodyBudget.Body body = (senders.knows(request) ? budget : strangers).read(request.getInputStream())) {
            final Optional<Refusal> refusal = refusal(request, body.bytes());
            if (refusal.isPresent()) {
                refuse(request, response, refusal.orElseThrow());
            } else if (body.isLarge()) {
                // A sender that waits keeps one of the threads of the server.
                passAlone(request, response, chain, body, senders.knows(request) ? patience : Duration.ZERO);
            } else {
                passJudged(request, response, chain, body);
            }
        } catch (BodyBudget.TooLargeException e) {
            refuse(request, response, tooLarge());
        } catch (BodyBudget.BusyException e) {
            refuse(request, response, busy());
        } catch (BodyBudget.SlowException e) {
            refuse(request, response, new Refusal(Refusal.TIMEOUT, "operation-failed",
                "the body of the request did not come in time; repeat it"));
        }
    }

    /** Why a request is refused whatever its body is. */
    private Optional<Refusal> refusalUnread(final HttpServletRequest request, final Optional<Refusal> ofPath) {
        // Authentication, which comes later, takes a session too, as cookie.
        if (!KnownSenders.isNamed(request)) {
            return Optional.of(new Refusal(Refusal.UNAUTHORIZED, "access-denied",
                "a user and a password are required"));
        }
        if (request.getRequestURI().indexOf(';') >= 0) {
            // Jersey takes what follows it for a parameter, and the rest of the path for the same resource.
            return Optional.of(Refusal.invalid("a path has no parameters: write a semicolon in a key as %3B"));
        }
        final Optional<String> target = path(request);
        // Also a change that is refused later leaves a few bytes in the journal of the datastore, whatever its module.
        final Optional<String> noRoom = target.isPresent() ? shortage.get() : Optional.empty();
        if (noRoom.isPresent()) {
            return Optional.of(new Refusal(Refusal.CONFLICT, "resource-denied",
                "the configuration cannot be changed: " + noRoom.orElseThrow()));
        }
        return ofPath.or(() -> target.flatMap(path -> targets.refusal(path, isPost(request))))
            .or(() -> request.getContentLengthLong() > budget.most() ? Optional.of(tooLarge()) : Optional.empty());
    }

    private void pass(final HttpServletRequest request, final HttpServletResponse response, final FilterChain chain)
            throws IOException, ServletException {
        chain.doFilter(request, response);
        senders.learn(request, response);
    }

    private void passAlone(final HttpServletRequest request, final HttpServletResponse response,
            final FilterChain chain, final BodyBudget.Body body, final Duration wait)
            throws IOException, ServletException {
        try {
            if (!large.tryAcquire(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                refuse(request, response, busy());
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            refuse(request, response, busy());
            return;
        }
        try {
            passJudged(request, response, chain, body);
        } finally {
            large.release();
        }
    }

    private void passJudged(final HttpServletRequest request, final HttpServletResponse response,
            final FilterChain chain, final BodyBudget.Body body) throws IOException, ServletException {
        final Optional<Refusal> refusal = refusalOfValues(request, body.bytes());
        if (refusal.isPresent()) {
            refuse(request, response, refusal.orElseThrow());
        } else {
            final Optional<String> path = path(request);
            final HttpServletRequest stored = new StoredRequest(request, body.bytes());
            if (path.isPresent()) {
                passHeld(stored, response, chain, path.orElseThrow(), body.bytes());
            } else {
                pass(stored, response, chain);
            }
        }
    }

    /** RESTCONF answers these requests in the thread that asks it. */
    private void passHeld(final HttpServletRequest request, final HttpServletResponse response,
            final FilterChain chain, final String path, final byte[] body) throws IOException, ServletException {
        final HeldAnswer answer = new HeldAnswer(response);
        pass(request, answer, chain);
        final String target = TypeRules.shortened(Steps.decode(path.isEmpty() ? "/" : path));
        final Optional<Set<String>> cases = RestconfErrors.cases(answer.getStatus(), answer.body());
        final Optional<byte[]> otherCases = cases.isPresent() && request.getMethod().equals("PATCH")
            && isJson(request) && !isPatch(request) ? exchange.patch(path, body) : Optional.empty();
        Optional<Refusal> refusal;
        if (otherCases.isPresent()) {
            answer.reset();
            pass(new StoredRequest(request, otherCases.orElseThrow(), YANG_PATCH), answer, chain);
            refusal = errors.refusalOfOwnPatch(target, answer.getStatus(), answer.body());
            answer.resetBuffer();
        } else {
            refusal = cases.map(names -> ofCases(names, request, path, body, target))
                .or(() -> errors.refusal(target, answer.getStatus(), isPatch(request), answer.body()));
        }
        // Who may not do it is told so by AccessFilter of the module access, in words that are whole.
        if (refusal.isPresent() && !ACCESS.contains(answer.getStatus())) {
            refuse(request, response, refusal.orElseThrow());
        } else {
            answer.give();
            if (KnownSenders.isGood(answer)) {
                changes.accepted(KnownSenders.user(request), request.getMethod() + " " + path.replaceFirst("^/", ""),
                    tenants.of(path, body));
            }
        }
    }

    private Refusal ofCases(final Set<String> cases, final HttpServletRequest request, final String path,
            final byte[] body, final String target) {
        final String rule = "of " + String.join(" and ", new TreeSet<>(cases))
            + " there is one, and the other is stored; write the container of both by PUT, or remove the other first";
        return Optional.of(request).filter(each -> isJson(each) && !isPatch(each))
            .flatMap(each -> bodies.refusalOf(cases, rule, path, isPost(each), body))
            .orElseGet(() -> Refusal.invalid(target + ": " + rule));
    }

    private static boolean isPost(final HttpServletRequest request) {
        return request.getMethod().equals("POST");
    }

    private static boolean isJson(final HttpServletRequest request) {
        return type(request).contains("json");
    }

    private static boolean isPatch(final HttpServletRequest request) {
        return type(request).contains("yang-patch");
    }

    /** Of XML RESTCONF tells what is wrong. */
    private Optional<Refusal> refusalOfValues(final HttpServletRequest request, final byte[] body) {
        if (!isJson(request) || request.getMethod().equals("DELETE")
                || body.length > STRANGERS_JUDGED && !senders.knows(request)) {
            return Optional.empty();
        }
        return path(request, OPERATIONS).map(rpc -> bodies.refusalOfInput(rpc, body))
            .orElseGet(() -> path(request).flatMap(path -> isPatch(request) ? edits.refusal(path, body)
                : bodies.refusal(path, isPost(request), body)));
    }

    private Optional<Refusal> refusal(final HttpServletRequest request, final byte[] body) {
        if (body.length == 0 && path(request).isPresent() && !request.getMethod().equals("DELETE")) {
            return Optional.of(Refusal.malformed("the request needs a body"));
        }
        final boolean xml = type(request).contains("xml");
        final int depth = xml ? Shape.depthOfXml(body) : Shape.depthOfJson(body);
        if (depth > MOST_DEPTH) {
            return Optional.of(Refusal.invalid("the body is nested " + depth + " levels deep, more than "
                + MOST_DEPTH));
        }
        if (!xml && path(request).isPresent() && Shape.hasEmptyList(body, isPatch(request) ? EDITED : 1)) {
            // RESTCONF never answers the creation of none of a list (BatchedExistenceCheck), and keeps its thread.
            return Optional.of(Refusal.invalid("the body is a list without an entry"));
        }
        if (!isPatch(request)) {
            return Optional.empty();
        }
        final String base = path(request).orElse("");
        return (xml ? Patches.targetsInXml(body) : Patches.targetsInJson(body)).stream()
            .map(target -> targets.refusal(base + "/" + target, false)).flatMap(Optional::stream).findFirst();
    }

    private static String type(final HttpServletRequest request) {
        return Optional.ofNullable(request.getContentType()).orElse("").toLowerCase(Locale.ROOT);
    }

    /** The path below {@code /rests/data}, as it was sent. */
    private static Optional<String> path(final HttpServletRequest request) {
        return path(request, DATA);
    }

    private static Optional<String> path(final HttpServletRequest request, final String resource) {
        final String uri = request.getRequestURI();
        final String prefix = request.getContextPath() + resource;
        return uri.startsWith(prefix) && (uri.length() == prefix.length() || prefix.endsWith("/")
            || uri.charAt(prefix.length()) == '/') ? Optional.of(uri.substring(prefix.length())) : Optional.empty();
    }

    private Refusal tooLarge() {
        return new Refusal(Refusal.TOO_LARGE, "too-big", "the body is longer than " + budget.most()
            + " bytes; divide the change into several requests");
    }

    private static Refusal busy() {
        return new Refusal(Refusal.BUSY, "resource-denied", "too many large or slow requests at once; "
            + "repeat it later, after a GET that succeeds if this user has sent none lately");
    }

    private static void refuse(final HttpServletRequest request, final HttpServletResponse response,
            final Refusal refusal) throws IOException {
        // Senders that are not known yet write parts of it: none may begin a line of the log.
        LOG.info("Refused {} {}: {}", request.getMethod(), request.getRequestURI(),
            OperatorEvent.CONTROL.matcher(refusal.message()).replaceAll(" "));
        response.setStatus(refusal.status());
        response.setContentType("application/yang-data+json");
        if (refusal.status() == Refusal.UNAUTHORIZED) {
            response.setHeader("WWW-Authenticate", CHALLENGE);
        }
        response.setCharacterEncoding(StandardCharsets.UTF_8.name());
        // The rest of a body that was not read must not be taken for the next request.
        response.setHeader("Connection", "close");
        response.getOutputStream().write(refusal.json().getBytes(StandardCharsets.UTF_8));
    }
}
