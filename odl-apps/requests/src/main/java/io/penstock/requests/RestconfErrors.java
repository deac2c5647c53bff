// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static java.util.Objects.requireNonNull;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.penstock.requests.Refusal.Problem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/**
 * Errors of RESTCONF for changes, in words of the model and with a status of RFC 8040. RESTCONF blames itself (500) for
 * faults of the client, says 200 to a YANG Patch that it refuses, and adds names of Java classes. It tells causes as
 * text alone, in JSON or XML; seen with netconf 5.0.9. Safe for all threads.
 */
final class RestconfErrors {
    private static final int OK = 200;
    private static final int LEAST_ERROR = 400;
    private static final int SERVER_ERROR = 500;
    /** RFC 8040, section 7; all others are of bad requests. */
    private static final Map<String, Integer> STATUSES = Map.of("data-exists", Refusal.CONFLICT, "data-missing",
        Refusal.CONFLICT, "in-use", Refusal.CONFLICT, "resource-denied", Refusal.CONFLICT, "lock-denied",
        Refusal.CONFLICT, "access-denied", 403, "operation-not-supported", Refusal.NOT_ALLOWED,
        "operation-failed", SERVER_ERROR);
    /** Two changes of one place at a time. */
    private static final Pattern OVERTAKEN =
        Pattern.compile("OptimisticLockFailedException|ConflictingModificationAppliedException");
    /** The datastore takes no merge into the other case of a choice, and looks for it before any check. */
    private static final Pattern OTHER_CASE = Pattern.compile(
        "Child \\([^)]*\\)(\\S+) \\(from case [^)]*\\) implies non-presence of child \\([^)]*\\)(\\S+) ");
    /** The parts of the status of a YANG Patch, in the order in which they come. */
    private static final Pattern PATCH_PART = Pattern.compile("(?:\"(edit-id|error-tag|error-message)\"\\s*:\\s*"
        + "(\"(?:[^\"\\\\]|\\\\.)*+\"))|(?:<(edit-id|error-tag|error-message)>([^<]*)<)");
    private static final Pattern NAMESPACE = Pattern.compile("\\(urn:[^)]*\\)");
    /** Of no use to a client. */
    private static final Pattern JAVA =
        Pattern.compile("Exception|Cannot invoke|EffectiveStatement|org\\.opendaylight");
    private static final String PREFIX_OF_PARSER = "Error parsing (json |xml )?input(: (null)?)?";

    private final Subjects subjects;

    RestconfErrors(final Subjects subjects) {
        this.subjects = requireNonNull(subjects);
    }

    /** Two names of a choice that cannot be merged; empty when this is not what is wrong. */
    static Optional<Set<String>> cases(final int status, final byte[] answer) {
        // What is carried out can repeat words of the client.
        final Matcher found = OTHER_CASE.matcher(new String(answer, StandardCharsets.UTF_8));
        return status >= LEAST_ERROR && found.find() ? Optional.of(Set.of(found.group(1), found.group(2)))
            : Optional.empty();
    }

    /**
     * The refusal that an answer stands for.
     *
     * @param target what was to be changed, as words
     * @param status as RESTCONF has set it
     * @return empty when it is no error, and when it is to be given as it is
     */
    Optional<Refusal> refusal(final String target, final int status, final boolean isPatch, final byte[] answer) {
        final String text = new String(answer, StandardCharsets.UTF_8);
        return judged(target, status, text, isPatch && status == OK ? ofPatch(text, true) : Optional.empty());
    }

    /** The same of a YANG Patch that the client has not sent as one. */
    Optional<Refusal> refusalOfOwnPatch(final String target, final int status, final byte[] answer) {
        final String text = new String(answer, StandardCharsets.UTF_8);
        return judged(target, status, text, status == OK ? ofPatch(text, false) : Optional.empty());
    }

    private Optional<Refusal> judged(final String target, final int status, final String text,
            final Optional<Refusal> ofEdits) {
        if ((status >= LEAST_ERROR || ofEdits.isPresent()) && OVERTAKEN.matcher(text).find()) {
            return Optional.of(new Refusal(Refusal.CONFLICT, "in-use", target
                + ": another client has changed the same at the same time; nothing was changed, repeat the request"));
        }
        return status < LEAST_ERROR ? ofEdits : ofErrors(target, status, text);
    }

    private Optional<Refusal> ofPatch(final String text, final boolean namesEdits) {
        String edit = "";
        final List<String> following = new ArrayList<>();
        String tag = "";
        String message = "";
        for (final Matcher part = PATCH_PART.matcher(text); part.find();) {
            final boolean isJson = part.group(1) != null;
            final String value = isJson ? JsonParser.parseString(part.group(2)).getAsString() : part.group(4);
            switch (isJson ? part.group(1) : part.group(3)) {
                case "error-tag" -> tag = tag.isEmpty() ? value : tag;
                case "error-message" -> message = message.isEmpty() ? value : message;
                default -> {
                    // The error of the whole comes before all edits, that of an edit behind its id.
                    if (tag.isEmpty()) {
                        edit = value;
                    } else {
                        following.add(value);
                    }
                }
            }
        }
        if (tag.isEmpty()) {
            return Optional.empty();
        }
        final Refusal refusal = new Refusal(STATUSES.getOrDefault(tag, Refusal.BAD_REQUEST),
            subjects.problems(tag, message));
        return Optional.of(!namesEdits ? refusal : refusal.in(edit.isEmpty() && following.size() > 1
            ? "edits " + String.join(", ", following) : "edit " + edit + String.join("", following.stream()
                .limit(edit.isEmpty() ? 1 : 0).toList())));
    }

    private Optional<Refusal> ofErrors(final String target, final int status, final String text) {
        if (text.isBlank()) {
            return Optional.of(new Refusal(status, status == Refusal.UNAUTHORIZED ? "access-denied"
                : "operation-not-supported", status == Refusal.UNAUTHORIZED ? "the user or the password is wrong"
                    : target + ": the request is not possible here"));
        }
        final List<JsonObject> errors = errors(text);
        return errors.isEmpty() ? Optional.empty() : Optional.of(new Refusal(status, errors.stream()
            .flatMap(error -> problems(error, target, status).stream()).limit(Refusal.MOST_PROBLEMS).toList()));
    }

    private List<Problem> problems(final JsonObject error, final String target, final int status) {
        final String given = NAMESPACE.matcher(member(error, "error-message")).replaceAll("");
        final String message = JAVA.matcher(given).find() ? "" : given.replaceFirst(PREFIX_OF_PARSER, "");
        if (member(error, "error-type").equals("application") && message.contains(": ")) {
            return subjects.problems(member(error, "error-tag"), message);
        }
        return List.of(new Problem(member(error, "error-tag"), target + ": " + (!message.isEmpty() ? message
            : status < SERVER_ERROR ? "the body is none for it" : "the controller failed, see its log"),
            member(error, "error-path")));
    }

    /** The errors of RESTCONF; none for XML. */
    private static List<JsonObject> errors(final String text) {
        try {
            final JsonElement body = JsonParser.parseString(text);
            final JsonArray list = body.isJsonObject() && body.getAsJsonObject().get("errors") instanceof JsonObject
                errors && errors.get("error") instanceof JsonArray array ? array : new JsonArray();
            return StreamSupport.stream(list.spliterator(), false).map(JsonElement::getAsJsonObject).toList();
        } catch (JsonParseException | IllegalStateException e) {
            return List.of();
        }
    }

    private static String member(final JsonObject error, final String name) {
        return Optional.ofNullable(error.get(name)).filter(JsonElement::isJsonPrimitive).map(JsonElement::getAsString)
            .orElse("");
    }
}
