// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.rest;

import static java.util.Objects.requireNonNull;

import io.penstock.engine.pool.PoolEvent;
import io.penstock.engine.pool.PoolEvent.OfPool;
import io.penstock.engine.pool.PoolEvent.OfPortBlock;
import java.util.function.Consumer;
import org.opendaylight.mdsal.binding.api.NotificationPublishService;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.NatPoolEvent;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.NatPoolEvent.Event;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.NatPoolEventBuilder;
import org.opendaylight.yangtools.yang.common.Uint64;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends events as notifications of the model, and writes them into the log. Never blocks. */
public final class PoolEvents implements Consumer<PoolEvent> {
    private static final Logger LOG = LoggerFactory.getLogger(PoolEvents.class);

    private final NotificationPublishService notifications;

    /** Sends by a service of OpenDaylight, which RESTCONF listens to. */
    public PoolEvents(final NotificationPublishService notifications) {
        this.notifications = requireNonNull(notifications);
    }

    @Override
    public void accept(final PoolEvent event) {
        LOG.info("{}{}: {}, {} of {} used", event.owner(), event.prefix().map(prefix -> " " + prefix).orElse(""),
            notification(event).getEvent().getName(), event.used(), event.size());
        if (notifications.offerNotification(notification(event)) == NotificationPublishService.REJECTED) {
            LOG.warn("A notification was dropped: the queue of notifications is full");
        }
    }

    static NatPoolEvent notification(final PoolEvent event) {
        final Event kind = switch (event.kind()) {
            case HIGH_THRESHOLD -> Event.HighThreshold;
            case LOW_THRESHOLD -> Event.LowThreshold;
            case DRAINED -> Event.Drained;
        };
        final NatPoolEventBuilder notification = new NatPoolEventBuilder().setEvent(kind)
            .setUsed(Uint64.valueOf(event.used())).setSize(Uint64.valueOf(event.size()));
        event.prefix().ifPresent(prefix -> notification.setPrefix(prefix.toString()));
        if (event.owner() instanceof OfPool pool) {
            notification.setPool(pool.name());
        } else if (event.owner() instanceof OfPortBlock block) {
            notification.setTenant(block.tenant()).setInsidePrefix(block.inside().toString());
        }
        return notification.build();
    }
}
