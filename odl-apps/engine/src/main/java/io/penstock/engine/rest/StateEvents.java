// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.rest;

import static java.util.Objects.requireNonNull;

import io.penstock.engine.state.StatusEvent;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.opendaylight.mdsal.binding.api.NotificationPublishService;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.DateAndTime;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.StatusEvent.Kind;
import org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.StatusEventBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends changes of the status as notifications of the model, and writes them into the log. Never blocks. */
final class StateEvents {
    private static final Logger LOG = LoggerFactory.getLogger(StateEvents.class);

    private final NotificationPublishService notifications;

    StateEvents(final NotificationPublishService notifications) {
        this.notifications = requireNonNull(notifications);
    }

    void tell(final StatusEvent event) {
        LOG.info("{} {}: {}, was {}{}", event.kind().name().toLowerCase(Locale.ROOT), event.name(), event.after(),
            event.before(), event.reason().isEmpty() ? "" : ": " + event.reason());
        if (notifications.offerNotification(notification(event)) == NotificationPublishService.REJECTED) {
            LOG.warn("A notification was dropped: the queue of notifications is full");
        }
    }

    private static org.opendaylight.yang.gen.v1.urn.penstock.state.rev261126.StatusEvent notification(
            final StatusEvent event) {
        final Kind kind = switch (event.kind()) {
            case NODE -> Kind.Node;
            case TENANT -> Kind.Tenant;
            case FUNCTION -> Kind.Function;
            case INSTANCE -> Kind.Instance;
        };
        return new StatusEventBuilder().setKind(kind).setName(event.name())
            .setStatus(event.after()).setFormerStatus(event.before())
            .setReason(event.reason().isEmpty() ? null : event.reason())
            .setTime(new DateAndTime(event.time().truncatedTo(ChronoUnit.MILLIS).toString())).build();
    }
}
