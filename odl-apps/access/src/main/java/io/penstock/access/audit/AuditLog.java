// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.audit;

import static java.util.Objects.requireNonNull;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.penstock.base.chain.Line;
import io.penstock.base.chain.Segments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log of one controller, in segments of chained lines. The line of a change is on the disk before the change
 * is made; one that cannot be written refuses the change. docs/access.md has the format. Safe for all threads.
 */
public final class AuditLog implements AutoCloseable {
    /** In the place of a secret. */
    public static final JsonPrimitive NOT_LOGGED = new JsonPrimitive("(not logged)");

    /** With which the names of its segments begin. */
    public static final String PREFIX = "audit";

    /** Bytes of a segment, about. */
    private static final long MOST_SEGMENT = 8 << 20;
    /** Lines about refused requests and logins a second: more are counted, so that attackers fill no disk. */
    private static final int REFUSALS = 20;
    private static final Set<String> SECRETS = Set.of("password", "secret", "passphrase", "private-key", "encrypt-key");
    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);

    private final Path directory;
    private final String member;
    private final Clock clock;
    private @Nullable Segments segments;
    private long number;
    private Instant last = Instant.EPOCH;
    /** Second of the wall clock in which the last refusals were, and their number. */
    private long second;
    private int inSecond;
    private long suppressed;

    /** Why nothing can be written. */
    public static final class UnwritableException extends Exception {
        private static final long serialVersionUID = 1;

        UnwritableException(final String message, final Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * The log in a directory, which is made when it is not there. It is opened with the first line, and again after a
     * failure.
     *
     * @param member name of the controller in its cluster
     */
    public AuditLog(final Path directory, final String member, final Clock clock) {
        this.directory = requireNonNull(directory);
        this.member = requireNonNull(member);
        this.clock = requireNonNull(clock);
    }

    /**
     * Writes that a request is about to be carried out; it is on the disk when this returns.
     *
     * @return its number, for {@link #done}
     * @throws UnwritableException when it cannot be written; the request must not be carried out
     */
    public synchronized long request(final JsonObject about) throws UnwritableException {
        write("request", about, true);
        return number;
    }

    /**
     * Writes what became of a request. The change has been made, so nothing fails; the line is on the disk with the
     * next one.
     *
     * @param request its number
     */
    public synchronized void done(final long request, final JsonObject result) {
        final JsonObject about = new JsonObject();
        about.addProperty("request", request);
        result.entrySet().forEach(each -> about.add(each.getKey(), each.getValue()));
        try {
            write("done", about, false);
        } catch (UnwritableException e) {
            LOG.error("Request {} of the audit log was answered with {}; the log does not have it: {}", request,
                result.get("status"), e.getMessage());
        }
    }

    /** Writes that a request or a login was refused. Of many a second the first ones are written, and all counted. */
    public synchronized void refused(final String event, final JsonObject about) {
        final long now = clock.instant().getEpochSecond();
        inSecond = now == second ? inSecond + 1 : 1;
        second = now;
        if (inSecond > REFUSALS) {
            suppressed++;
            return;
        }
        if (suppressed > 0) {
            about.addProperty("suppressed-before", suppressed);
        }
        try {
            write(event, about, false);
            suppressed = 0;
        } catch (UnwritableException e) {
            suppressed++;
            LOG.error("A request was refused; the audit log does not have it: {}", e.getMessage());
        }
    }

    /** Opens it, so that a damaged log is told at the start. It is told again at each change. */
    public synchronized void open() {
        try {
            opened();
        } catch (IOException | UncheckedIOException e) {
            LOG.error("The audit log cannot be written, and all changes are refused: {}", reason(e));
        }
    }

    /** Whether a member has a secret, by its name. */
    public static boolean isSecret(final String name) {
        final String lower = name.toLowerCase(Locale.ROOT);
        return SECRETS.stream().anyMatch(lower::contains);
    }

    private void write(final String event, final JsonObject about, final boolean isOnDisk)
            throws UnwritableException {
        try {
            Segments current = opened();
            if (current.length() > MOST_SEGMENT) {
                begin(current);
                current = opened();
            }
            final JsonObject line = line(event);
            about.entrySet().forEach(each -> line.add(each.getKey(), each.getValue()));
            final List<Function<String, Line>> lines = List.of(before -> Line.of(line.toString(), before));
            if (isOnDisk) {
                current.append(lines);
            } else {
                current.appendLazily(lines);
            }
            number++;
        } catch (IOException | UncheckedIOException e) {
            close();
            throw new UnwritableException("the audit log in " + directory + " cannot be written: " + reason(e), e);
        }
    }

    private static String reason(final Exception failure) {
        return failure instanceof UncheckedIOException && failure.getCause() != null
            ? String.valueOf(failure.getCause().getMessage()) : failure.toString();
    }

    private JsonObject line(final String event) {
        final Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        // Times never go back, so that a segment is searched by them.
        last = now.isBefore(last) ? last : now;
        final JsonObject line = new JsonObject();
        line.addProperty("number", number + 1);
        line.addProperty("time", last.toString());
        line.addProperty("event", event);
        line.addProperty("member", member);
        return line;
    }

    private Segments opened() throws IOException {
        if (segments != null) {
            return segments;
        }
        number = 0;
        last = Instant.EPOCH;
        final Segments opened = new Segments(directory, PREFIX, "audit log");
        if (!opened.resume(this::replay)) {
            if (opened.resumeBehindClosed(this::replay)) {
                LOG.warn("The newest segment of the audit log in {} is not there: the log goes on behind entry {}",
                    directory, number);
            }
            begin(opened);
        }
        segments = opened;
        return opened;
    }

    private synchronized Line replay(final String text, final String before) {
        try {
            final JsonObject object = JsonParser.parseString(text).getAsJsonObject();
            final boolean isFirst = before.equals(Line.NOTHING) && object.has("previous");
            final Line line = Line.parse(text, isFirst ? object.get("previous").getAsString() : before);
            number = Long.parseLong(text(object, "number"));
            last = Instant.parse(text(object, "time"));
            return line;
        } catch (JsonParseException | IllegalStateException | DateTimeException e) {
            throw new IllegalArgumentException("is not an entry: " + e.getMessage(), e);
        }
    }

    private static String text(final JsonObject object, final String member) {
        if (!object.has(member)) {
            throw new IllegalArgumentException("has no " + member);
        }
        return object.get(member).getAsString();
    }

    private void begin(final Segments into) throws IOException {
        final JsonObject first = line("opened");
        final List<Function<String, Line>> lines = List.of(before -> {
            first.addProperty("previous", before);
            return Line.of(first.toString(), before);
        });
        into.begin(number + 1, lines);
        number++;
    }

    @Override
    public synchronized void close() {
        if (segments != null) {
            segments.close();
            segments = null;
        }
    }
}
