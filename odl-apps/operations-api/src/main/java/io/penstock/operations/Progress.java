// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import static java.util.Objects.requireNonNull;

/**
 * How far a node is with what was committed before the question.
 *
 * @param reason what it waits for, or why it failed, for people; empty when there is nothing to say
 */
public record Progress(State state, String reason) {
    /** Done. */
    public static final Progress APPLIED = new Progress(State.APPLIED, "");
    /** The switch has not confirmed everything. */
    public static final Progress NOT_YET = new Progress(State.NOT_YET, "the switch has not confirmed the changes");
    /** The switch is away. */
    public static final Progress NOT_CONNECTED = new Progress(State.NOT_CONNECTED, "");

    /** In one word; {@code FAILED} if switch or agent have tried in vain. */
    public enum State { APPLIED, NOT_YET, NOT_CONNECTED, FAILED }

    public Progress {
        requireNonNull(state);
        requireNonNull(reason);
    }
}
