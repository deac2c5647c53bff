// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static java.util.Objects.requireNonNull;

import io.penstock.events.OperatorEvent;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Function;

/** Syslog messages of events: the leaves of the notification as structured data, and the line of the log. */
final class EventSyslog implements Function<List<OperatorEvent>, List<Payload>> {
    private final String host;
    private final Clock clock;

    /** Messages of this host, with the time of a clock. */
    EventSyslog(final String host, final Clock clock) {
        this.host = requireNonNull(host);
        this.clock = requireNonNull(clock);
    }

    @Override
    public List<Payload> apply(final List<OperatorEvent> events) {
        return events.stream().map(this::message).toList();
    }

    private Payload message(final OperatorEvent event) {
        final SyslogMessage message = new SyslogMessage(event.severity().number(),
            clock.instant().truncatedTo(ChronoUnit.MILLIS), host,
            event.notification().substring(event.notification().indexOf(':') + 1), "event");
        event.details().leaves().forEach(leaf -> message.with(leaf.name(), leaf.value()));
        return message.payload(event.line());
    }
}
