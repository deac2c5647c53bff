// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes events. Safe for all threads; never blocks. */
@FunctionalInterface
public interface EventSink {
    /** Takes one. */
    void tell(OperatorEvent event);

    /** All of some sinks, in their order. One that fails keeps an event neither from the others nor from its teller. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    static EventSink all(final List<EventSink> sinks) {
        return event -> sinks.forEach(sink -> {
            try {
                sink.tell(event);
            } catch (RuntimeException e) {
                LoggerFactory.getLogger(EventSink.class).error("Cannot tell {}: {}", event.notification(),
                    event.line(), e);
            }
        });
    }

    /** The log of the controller: one line for each event. */
    static EventSink log() {
        return event -> {
            final Logger log = LoggerFactory.getLogger(EventSink.class);
            final Consumer<String> level = switch (event.severity()) {
                case ERROR -> log::error;
                case WARNING -> log::warn;
                case NOTICE -> log::info;
            };
            level.accept(event.line());
        };
    }
}
