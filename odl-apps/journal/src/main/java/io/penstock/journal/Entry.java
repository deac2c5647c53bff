// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.penstock.base.chain.Line;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Prefix;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * One line of a journal: a JSON object (RFC 8259) whose last member {@code hash} is the SHA-256 of the hash of the line
 * before and of the line up to that member, both as they are written. docs/nat-journal.md says what the members mean.
 *
 * @param number counts the lines of all segments, from 1
 * @param since when the assignment began; the time of the entry but in {@code held}
 * @param assignment none in {@code opened}
 */
record Entry(long number, Instant time, Event event, Instant since, Optional<Assignment> assignment)
        implements Function<String, Line> {
    /** What an entry tells. */
    enum Event { OPENED, HELD, ASSIGNED, RELEASED }

    /** An entry that was read. */
    record Read(Entry entry, Line line) { }

    /** Whether something begins or ends to be assigned with it. */
    boolean isChange() {
        return event == Event.ASSIGNED || event == Event.RELEASED;
    }

    /** The line of this entry behind the line with a hash. */
    @Override
    public Line apply(final String before) {
        final JsonObject object = new JsonObject();
        object.addProperty("number", number);
        object.addProperty("time", time.toString());
        object.addProperty("event", event.name().toLowerCase(Locale.ROOT));
        if (event == Event.OPENED) {
            object.addProperty("previous", before);
        } else if (event == Event.HELD) {
            object.addProperty("since", since.toString());
        }
        assignment.ifPresent(given -> put(object, given));
        return Line.of(object.toString(), before);
    }

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException when it is not one, or its hash does not follow from {@code before}
     */
    static Read parse(final String line, final String before) {
        try {
            final JsonObject object = JsonParser.parseString(line).getAsJsonObject();
            final Event event = Event.valueOf(text(object, "event").toUpperCase(Locale.ROOT));
            // The line that opens a segment says itself what it follows, for the segment before may be gone.
            final String previous = event == Event.OPENED && before.equals(Line.NOTHING)
                ? text(object, "previous") : before;
            return new Read(of(object, event), Line.parse(line, previous));
        } catch (JsonParseException | IllegalStateException | DateTimeException e) {
            throw new IllegalArgumentException("is not an entry: " + e.getMessage(), e);
        }
    }

    /**
     * Reads a line without looking at its hash.
     *
     * @throws IllegalArgumentException when it is not one
     */
    static Entry of(final String line) {
        try {
            final JsonObject object = JsonParser.parseString(line).getAsJsonObject();
            return of(object, Event.valueOf(text(object, "event").toUpperCase(Locale.ROOT)));
        } catch (JsonParseException | IllegalStateException | DateTimeException e) {
            throw new IllegalArgumentException("is not an entry: " + e.getMessage(), e);
        }
    }

    private static Entry of(final JsonObject object, final Event event) {
        final Instant time = Instant.parse(text(object, "time"));
        return new Entry(Long.parseLong(text(object, "number")), time, event,
            object.has("since") ? Instant.parse(text(object, "since")) : time,
            object.has("tenant") ? Optional.of(assignment(object)) : Optional.empty());
    }

    private static void put(final JsonObject object, final Assignment given) {
        object.addProperty("tenant", given.tenant());
        object.addProperty("vrf", given.tenantId());
        object.addProperty("kind", given.kind());
        object.addProperty("public", given.outside().toString());
        given.inside().ifPresent(inside -> object.addProperty("inside", inside.toString()));
        given.blocks().ifPresent(blocks -> {
            object.addProperty("first-port", blocks.firstPort());
            object.addProperty("block-size", blocks.size());
        });
        given.forwarded().ifPresent(forwarded -> {
            object.addProperty("protocol", IpProtocol.name(forwarded.protocol()));
            object.addProperty("public-port", forwarded.publicPort());
            object.addProperty("inside-port", forwarded.insidePort());
        });
    }

    private static Assignment assignment(final JsonObject object) {
        return new Assignment(text(object, "tenant"), number(object, "vrf"), text(object, "kind"),
            object.has("inside") ? Optional.of(Prefix.parse(text(object, "inside"))) : Optional.empty(),
            Prefix.parse(text(object, "public")),
            object.has("block-size") ? Optional.of(
                new Assignment.Blocks(number(object, "first-port"), number(object, "block-size"))) : Optional.empty(),
            object.has("protocol") ? Optional.of(new Assignment.Forwarded(
                IpProtocol.number(text(object, "protocol")), number(object, "public-port"),
                number(object, "inside-port"))) : Optional.empty());
    }

    private static int number(final JsonObject object, final String member) {
        return Integer.parseInt(text(object, member));
    }

    private static String text(final JsonObject object, final String member) {
        if (!object.has(member)) {
            throw new IllegalArgumentException("has no " + member);
        }
        return object.get(member).getAsString();
    }
}
