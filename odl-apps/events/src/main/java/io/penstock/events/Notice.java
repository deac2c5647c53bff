// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * What the notification of an event says, without its record: as it goes to another member of the cluster.
 *
 * @param notification its name in the model, with the module
 * @param time of the event
 * @param details values of its leaves
 */
public record Notice(String notification, Instant time, Details details) {
    public Notice {
        requireNonNull(notification);
        requireNonNull(time);
        requireNonNull(details);
    }

    /** That of an event. */
    public static Notice of(final OperatorEvent event, final Instant time) {
        return new Notice(event.notification(), time, event.details());
    }
}
