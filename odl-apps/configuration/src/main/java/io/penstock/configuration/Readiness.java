// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static java.util.Objects.requireNonNull;

/**
 * Whether what is configured is carried out.
 *
 * @param reason why not, and what to do; empty when it is
 */
public record Readiness(Level level, String reason) {
    /** How bad it is. */
    public enum Level {
        /** There is no engine now: it is being started, or was stopped in good order. */
        ABSENT,
        /** Another member of the cluster has the engine, and this one waits to take over. */
        STANDBY,
        /** The configuration is carried out. */
        READY,
        /** The engine runs, and something that it needs is missing or wrong. It goes on once that is repaired. */
        IMPAIRED,
        /** The engine could not start, and will not before something is repaired. */
        FAILED
    }

    public Readiness {
        requireNonNull(level);
        requireNonNull(reason);
    }
}
