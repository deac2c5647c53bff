// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.rest;

import static java.util.Objects.requireNonNull;

import io.penstock.engine.node.RepairEvent;
import java.util.function.Consumer;
import org.opendaylight.mdsal.binding.api.NotificationPublishService;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.FlowRepairEvent;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.FlowRepairEventBuilder;
import org.opendaylight.yangtools.yang.common.Uint32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends repairs of switches as notifications of the model. Never blocks. */
public final class RepairEvents implements Consumer<RepairEvent> {
    private static final Logger LOG = LoggerFactory.getLogger(RepairEvents.class);

    private final NotificationPublishService notifications;

    /** Sends by a service of OpenDaylight, which RESTCONF listens to. */
    public RepairEvents(final NotificationPublishService notifications) {
        this.notifications = requireNonNull(notifications);
    }

    @Override
    public void accept(final RepairEvent event) {
        LOG.warn("Node {}: its switch differed from the plan and was repaired: {} missing, {} excess, {} wrong; "
            + "first in {}: {}", event.node(), event.missing(), event.excess(), event.wrong(), event.table(),
            event.label());
        if (notifications.offerNotification(notification(event)) == NotificationPublishService.REJECTED) {
            LOG.warn("A notification was dropped: the queue of notifications is full");
        }
    }

    private static FlowRepairEvent notification(final RepairEvent event) {
        return new FlowRepairEventBuilder().setNode(event.node()).setMissing(Uint32.valueOf(event.missing()))
            .setExcess(Uint32.valueOf(event.excess())).setWrong(Uint32.valueOf(event.wrong()))
            .setTable(event.table()).setLabel(event.label()).build();
    }
}
