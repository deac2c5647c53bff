// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.rest;

import static java.util.Objects.requireNonNull;

import io.penstock.engine.canary.CanaryEvent;
import io.penstock.pipeline.allocation.CanaryResult.Verdict;
import java.util.function.Consumer;
import org.opendaylight.mdsal.binding.api.NotificationPublishService;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.FunctionCanaryEvent;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.FunctionCanaryEventBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends verdicts about functions as notifications of the model, and writes them into the log. Never blocks. */
public final class CanaryEvents implements Consumer<CanaryEvent> {
    private static final Logger LOG = LoggerFactory.getLogger(CanaryEvents.class);

    private final NotificationPublishService notifications;

    /** Sends by a service of OpenDaylight, which RESTCONF listens to. */
    public CanaryEvents(final NotificationPublishService notifications) {
        this.notifications = requireNonNull(notifications);
    }

    @Override
    public void accept(final CanaryEvent event) {
        final FunctionCanaryEvent notification = notification(event);
        LOG.info("function {}: canary {} judged {}: {}", event.function(), event.result().version(),
            notification.getVerdict().getName(), event.result().reason());
        if (notifications.offerNotification(notification) == NotificationPublishService.REJECTED) {
            LOG.warn("A notification was dropped: the queue of notifications is full");
        }
    }

    static FunctionCanaryEvent notification(final CanaryEvent event) {
        return new FunctionCanaryEventBuilder().setFunction(event.function()).setVersion(event.result().version())
            .setVerdict(event.result().verdict() == Verdict.FORWARD ? FunctionCanaryEvent.Verdict.Forward
                : FunctionCanaryEvent.Verdict.Back)
            .setReason(event.result().reason()).build();
    }
}
