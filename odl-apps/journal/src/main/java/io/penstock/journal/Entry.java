// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Prefix;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/**
 * One line of a journal: a JSON object (RFC 8259) whose last member {@code hash} is the SHA-256 of the hash of the line
 * before and of the line up to that member, both as they are written. docs/nat-journal.md says what the members mean.
 *
 * @param number counts the lines of all segments, from 1
 * @param since when the assignment began; the time of the entry but in {@code held}
 * @param assignment none in {@code opened}
 */
record Entry(long number, Instant time, Event event, Instant since, Optional<Assignment> assignment) {
    /** Hash before the first line of all. */
    static final String NOTHING = "0".repeat(64);

    private static final String HASH = ",\"hash\":\"";

    /** What an entry tells. */
    enum Event { OPENED, HELD, ASSIGNED, RELEASED }

    /** A line with its hash, without its end. */
    record Line(String text, String hash) { }

    /** An entry that was read. */
    record Read(Entry entry, String hash) { }

    /** The line of this entry behind the line with a hash. */
    Line line(final String before) {
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
        final String json = object.toString();
        final String body = json.substring(0, json.length() - 1);
        final String hash = hash(before, body);
        return new Line(body + HASH + hash + "\"}", hash);
    }

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException when it is not one, or its hash does not follow from {@code before}
     */
    static Read parse(final String line, final String before) {
        final int end = line.lastIndexOf(HASH);
        if (end < 0) {
            throw new IllegalArgumentException("has no hash");
        }
        try {
            final JsonObject object = JsonParser.parseString(line).getAsJsonObject();
            final String hash = text(object, "hash");
            final Event event = Event.valueOf(text(object, "event").toUpperCase(Locale.ROOT));
            // The line that opens a segment says itself what it follows, for the segment before may be gone.
            final String previous = event == Event.OPENED && before.equals(NOTHING)
                ? text(object, "previous") : before;
            if (!hash.equals(hash(previous, line.substring(0, end)))) {
                throw new IllegalArgumentException("its hash does not follow from the line before");
            }
            final Instant time = Instant.parse(text(object, "time"));
            return new Read(new Entry(Long.parseLong(text(object, "number")), time, event,
                object.has("since") ? Instant.parse(text(object, "since")) : time,
                object.has("tenant") ? Optional.of(assignment(object)) : Optional.empty()), hash);
        } catch (JsonParseException | IllegalStateException | DateTimeException e) {
            throw new IllegalArgumentException("is not an entry: " + e.getMessage(), e);
        }
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

    private static String hash(final String before, final String body) {
        try {
            final MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(before.getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(digest.digest(body.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
