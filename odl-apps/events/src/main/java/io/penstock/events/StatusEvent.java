// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;

/**
 * A status that has changed.
 *
 * @param name of the subject; of an instance {@code function/instance}
 * @param reason for the new status; empty if there is none
 */
public record StatusEvent(Kind kind, String name, String before, String after, String reason, Instant time)
        implements OperatorEvent {
    private static final Set<String> GOOD = Set.of("active", "connected", "up");

    /** Subjects. */
    public enum Kind {
        /** A node. */
        NODE,
        /** A tenant. */
        TENANT,
        /** A function. */
        FUNCTION,
        /** An instance of a function. */
        INSTANCE
    }

    @Override
    public String notification() {
        return "penstock-state:status-event";
    }

    @Override
    public Severity severity() {
        return GOOD.contains(after) ? Severity.NOTICE : Severity.ERROR;
    }

    @Override
    public String text() {
        return OperatorEvent.word(kind) + " " + name + ": " + after + ", was " + before
            + (reason.isEmpty() ? "" : ": " + reason);
    }

    @Override
    public Details details() {
        return Details.none().with("kind", OperatorEvent.word(kind)).with("name", name).with("status", after)
            .with("former-status", before).with("reason", Optional.of(reason).filter(text -> !text.isEmpty()))
            .with("time", time.truncatedTo(ChronoUnit.MILLIS));
    }
}
