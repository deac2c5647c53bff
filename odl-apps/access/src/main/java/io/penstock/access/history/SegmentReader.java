// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.penstock.access.history.ConfigurationChange.Entry;
import io.penstock.access.history.SegmentFiles.Segment;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Reads segments of an audit log, the latest first, and keeps the latest wanted changes of them. It holds some changes
 * and one line in memory, however long the log is. Not for several threads.
 */
final class SegmentReader {
    /** Characters of all changes together. One change is less than a tenth of it. */
    static final long MOST_CHARACTERS = 1 << 20;
    /** Requests whose results are looked for at the same time. */
    private static final int MOST_OPEN = 1000;
    private static final String REQUEST = "request";
    private static final String DONE = "done";
    private static final int REFUSED = 400;
    private static final int FAILED = 500;

    private final Question question;
    private final NavigableMap<Long, ConfigurationChange> changes = new TreeMap<>();
    private long characters;
    private boolean hasLeftOut;
    private Optional<Instant> begin = Optional.empty();
    private long damagedLines;

    /** Requests of the segment that have no result yet. */
    private final Map<Long, JsonObject> open = new LinkedHashMap<>();

    SegmentReader(final Question question) {
        this.question = question;
    }

    /** The changes by their numbers. */
    NavigableMap<Long, ConfigurationChange> changes() {
        return changes;
    }

    /** Whether earlier changes have no room. */
    boolean isFull() {
        return hasLeftOut || changes.size() >= question.last();
    }

    /** Whether earlier changes were found, and had no room. */
    boolean hasLeftOut() {
        return hasLeftOut;
    }

    /** Whether the segment that was read has all changes of the time that is asked for. */
    boolean isBehind() {
        return question.since().isPresent() && begin.filter(question.since().orElseThrow()::isAfter).isPresent();
    }

    /** Lines that are no entries, of all segments. */
    long damagedLines() {
        return damagedLines;
    }

    /** Reads the requests of a segment. Their results may be behind it: {@link #readResults}. */
    void read(final Segment segment) throws IOException {
        begin = Optional.empty();
        try (Lines lines = segment.lines()) {
            for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
                if (begin.isEmpty()) {
                    begin = time(line.orElseThrow());
                }
                line(line.orElseThrow(), true);
            }
        }
    }

    /** Whether requests of a segment have no result in it. */
    boolean isOpen() {
        return !open.isEmpty();
    }

    /** Looks in the next segment for the results of requests. */
    void readResults(final Segment next) throws IOException {
        try (Lines lines = next.lines()) {
            for (Optional<String> line = lines.next(); line.isPresent() && isOpen(); line = lines.next()) {
                line(line.orElseThrow(), false);
            }
        }
    }

    /** Takes requests without a result for such whose result is not known. */
    void end() {
        open.values().forEach(this::unknown);
        open.clear();
    }

    private void line(final String text, final boolean hasRequests) {
        final boolean isRequest = hasRequests && text.contains("\"event\":\"" + REQUEST + "\"");
        if (!isRequest && !text.contains("\"event\":\"" + DONE + "\"")) {
            damagedLines += hasRequests && !text.endsWith("\"}") ? 1 : 0;
            return;
        }
        try {
            final JsonObject line = JsonParser.parseString(text).getAsJsonObject();
            final String event = member(line, "event").getAsString();
            if (hasRequests && event.equals(REQUEST)) {
                opened(line);
            } else if (event.equals(DONE)) {
                final JsonObject request = open.remove(member(line, REQUEST).getAsLong());
                if (request != null) {
                    closed(request, line);
                }
            }
        } catch (JsonParseException | IllegalStateException | NumberFormatException | DateTimeException
                | UnsupportedOperationException e) {
            damagedLines += hasRequests ? 1 : 0;
        }
    }

    private static Optional<Instant> time(final String line) {
        try {
            return Optional.of(Instant.parse(member(JsonParser.parseString(line).getAsJsonObject(), "time")
                .getAsString()));
        } catch (JsonParseException | IllegalStateException | DateTimeException | UnsupportedOperationException e) {
            return Optional.empty();
        }
    }

    private void opened(final JsonObject request) {
        final Instant time = Instant.parse(member(request, "time").getAsString());
        final long number = member(request, "number").getAsLong();
        if (number >= question.before() || question.since().filter(time::isBefore).isPresent()
                || !ChangedEntries.isConcerned(member(request, "path").getAsString())) {
            return;
        }
        open.put(number, request);
        if (open.size() > MOST_OPEN) {
            final Iterator<JsonObject> eldest = open.values().iterator();
            unknown(eldest.next());
            eldest.remove();
        }
    }

    private void closed(final JsonObject request, final JsonObject result) {
        final int status = member(result, "status").getAsInt();
        // RESTCONF has stored nothing: what differs was another's change.
        if (status < REFUSED || status >= FAILED) {
            keep(request, OptionalInt.of(status),
                ChangedEntries.of(member(request, "path").getAsString(), result));
        }
    }

    private void unknown(final JsonObject request) {
        keep(request, OptionalInt.empty(),
            List.of(ChangedEntries.named(member(request, "path").getAsString(), OptionalLong.empty())));
    }

    private void keep(final JsonObject request, final OptionalInt status, final List<Entry> entries) {
        final List<Entry> wanted = entries.stream().filter(question::takes).toList();
        if (wanted.isEmpty()) {
            return;
        }
        final ConfigurationChange change = new ConfigurationChange(member(request, "number").getAsLong(),
            Instant.parse(member(request, "time").getAsString()), text(request, "user"), text(request, "role"),
            text(request, "source"), status, wanted);
        changes.put(change.number(), change);
        characters += change.length();
        while (changes.size() > question.last() || characters > MOST_CHARACTERS && changes.size() > 1) {
            hasLeftOut = true;
            characters -= changes.pollFirstEntry().getValue().length();
        }
    }

    /** A member that each entry has. */
    private static JsonElement member(final JsonObject entry, final String name) {
        final JsonElement member = entry.get(name);
        if (member == null) {
            throw new JsonParseException("no " + name);
        }
        return member;
    }

    private static String text(final JsonObject object, final String member) {
        final JsonElement value = object.get(member);
        return value == null ? "" : value.getAsString();
    }
}
