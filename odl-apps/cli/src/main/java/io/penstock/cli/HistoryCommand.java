// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.penstock.access.history.ConfigurationChange;
import io.penstock.access.history.History;
import io.penstock.access.history.Page;
import io.penstock.access.history.Question;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Shows the changes of the configuration that this controller has accepted. */
@Service
@Command(scope = "penstock", name = "history",
    description = "Shows the changes of the configuration that this controller has accepted, the latest first")
public final class HistoryCommand extends OperationsCommand {
    /** What JSON has of a change: text and numbers. */
    private record Shown(String member, long number, String time, String user, String role, String source,
            Optional<Integer> status, List<ShownEntry> entries) {
        static Shown of(final String member, final ConfigurationChange change) {
            return new Shown(member, change.number(), change.time().toString(), change.user(), change.role(),
                change.source(), change.status().isPresent() ? Optional.of(change.status().getAsInt())
                : Optional.empty(), change.entries().stream().map(ShownEntry::of).toList());
        }
    }

    /** The same of an entry. */
    private record ShownEntry(String kind, String name, String path, Optional<JsonElement> before,
            Optional<JsonElement> after, Optional<Long> notLogged) {
        static ShownEntry of(final ConfigurationChange.Entry entry) {
            return new ShownEntry(entry.kind(), entry.name(), entry.path(),
                entry.before().map(JsonParser::parseString), entry.after().map(JsonParser::parseString),
                entry.notLogged().isPresent() ? Optional.of(entry.notLogged().getAsLong()) : Optional.empty());
        }
    }

    @Reference
    private History history;

    @Argument(index = 0, name = "word", description = "Name of a tenant, or, with a name behind it, the kind of an "
        + "entry, such as pool; the default is all")
    @Completion(TenantCompleter.class)
    private @Nullable String word;

    @Argument(index = 1, name = "name", description = "Name of an entry of the kind")
    private @Nullable String name;

    @Option(name = "--since", description = "Time of the earliest change, such as 2026-11-21T18:00:00Z")
    private @Nullable String since;

    @Option(name = "--last", description = "Largest number of changes, at most 500; the default is 20")
    private int last = 20;

    @Override
    public @Nullable Object execute() throws IOException {
        final Optional<String> first = Optional.ofNullable(word);
        final Optional<String> second = Optional.ofNullable(name);
        final Page page = history.page(new Question(second.isPresent() ? first : first.map(tenant -> "tenant"),
            second.or(() -> first), Optional.ofNullable(since).map(HistoryCommand::time), Long.MAX_VALUE, last));
        final ShellTable table = table("time", "user", "address", "entry", "path", "before", "after");
        for (final ConfigurationChange change : page.changes()) {
            for (final ConfigurationChange.Entry entry : change.entries()) {
                table.addRow().addContent(change.time(), plain(change.user()), change.source(),
                    dash(plain((entry.kind() + " " + entry.name()).strip())), dash(plain(entry.path())),
                    value(entry, entry.before()), value(entry, entry.after()));
            }
        }
        print(page.changes().stream().map(change -> Shown.of(page.member(), change)).toList(), table);
        page.problems().forEach(this::say);
        if (page.before().isPresent()) {
            say("there are earlier changes");
        }
        return null;
    }

    private static String value(final ConfigurationChange.Entry entry, final Optional<String> value) {
        return value.map(HistoryCommand::plain).orElse(entry.notLogged().isPresent()
            ? entry.notLogged().getAsLong() + " bytes that the log does not have" : "-");
    }

    /** Names of access lists may have any letter; none commands the terminal. */
    private static String plain(final String text) {
        return text.replaceAll("\\p{C}", "?");
    }

    private static Instant time(final String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("since: is no time with a zone, such as 2026-11-21T18:00:00Z", e);
        }
    }
}
