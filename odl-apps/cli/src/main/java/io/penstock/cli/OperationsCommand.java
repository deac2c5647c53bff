// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonSerializer;
import io.penstock.operations.Operations;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Action;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** What all commands have in common: tables for people, JSON on request. */
abstract class OperationsCommand implements Action {
    /** Nothing is null, which is left out. */
    private static final JsonSerializer<Optional<?>> PRESENT =
        (value, type, context) -> value.<JsonElement>map(context::serialize).orElse(JsonNull.INSTANCE);

    @Reference
    private Operations operations;

    @Option(name = "--json", description = "Print JSON instead of a table")
    private boolean json;

    Operations operations() {
        return operations;
    }

    /** Prints {@code value} as JSON, or the table for it. */
    @Nullable Object print(final Object value, final ShellTable table) {
        if (json) {
            output().println(new GsonBuilder().setPrettyPrinting().disableHtmlEscaping()
                .registerTypeHierarchyAdapter(Optional.class, PRESENT).create().toJson(value));
        } else {
            table.print(output());
        }
        return null;
    }

    /** Prints a line below a table; nothing where JSON is asked for. */
    void say(final String line) {
        if (!json) {
            output().println(line);
        }
    }

    /** Karaf gives each command of a pipe a standard output of its own; the console of the session is behind it. */
    @SuppressWarnings("checkstyle:RegexpSinglelineJava")
    private static PrintStream output() {
        return System.out;
    }

    /** Refuses the word for an action that the command does not have. */
    static void only(final String action, final String... actions) {
        if (!List.of(actions).contains(action)) {
            throw new IllegalArgumentException("there is no action '" + action + "': use " + String.join(" or ",
                actions));
        }
    }

    static ShellTable table(final String... columns) {
        final ShellTable table = new ShellTable().emptyTableText("nothing");
        for (final String column : columns) {
            table.column(column);
        }
        return table;
    }

    static String dash(final String text) {
        return text.isEmpty() ? "-" : text;
    }
}
