// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tasks;

import static java.util.Objects.requireNonNull;

import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Logs what fails again and again: a fault with its stack once, until its subject succeeds again, and what is repeated
 * at debug. Packets cause attempts, so hosts would fill the log otherwise. For one thread.
 */
public final class Faults {
    private final Logger log;
    /** By subject, where the fault was. */
    private final Map<String, String> lasting = new HashMap<>();

    /** None yet. */
    public Faults(final Logger log) {
        this.log = requireNonNull(log);
    }

    /**
     * A subject has failed.
     *
     * @param text what that means
     * @return whether it was logged for people
     */
    public boolean failed(final String subject, final String text, final Throwable error) {
        final StackTraceElement[] stack = error.getStackTrace();
        // Its message may have a number or an address that is another one each time.
        final String place = error.getClass().getName() + (stack.length == 0 ? "" : " at " + stack[0]);
        final boolean isNew = !place.equals(lasting.put(subject, place));
        if (isNew) {
            log.error("Fault: {}", text, error);
        } else {
            log.debug("Fault again: {}", text, error);
        }
        return isNew;
    }

    /** A subject has succeeded. */
    public void succeeded(final String subject) {
        if (lasting.remove(subject) != null) {
            log.info("What failed before succeeds again: {}", subject);
        }
    }
}
