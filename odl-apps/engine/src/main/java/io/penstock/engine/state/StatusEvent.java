// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import java.time.Instant;

/**
 * A status that has changed.
 *
 * @param name of the subject; of an instance {@code function/instance}
 * @param reason for the new status; empty if there is none
 */
public record StatusEvent(Kind kind, String name, String before, String after, String reason, Instant time) {
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
}
