// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Something that operators must know as it happens. The record of an event is the only place that knows its form: a new
 * one is a record here, and its notification in {@code penstock-state.yang}.
 */
public sealed interface OperatorEvent permits CanaryEvent, CertificateEvent, ConfigurationEvent, DhcpPoolEvent,
        PoolEvent, QuotaEvent, RepairEvent, ResolverEvent, SpoofingEvent, StatusEvent {
    /** Nodes and users write parts of texts. */
    Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    /** Characters. */
    int MOST_LINE = 500;

    /** Name of its notification in the model, with the module: {@code penstock-state:status-event}. */
    String notification();

    /** How much it matters. */
    Severity severity();

    /** One line for people. */
    String text();

    /** The same without what would begin another line, and not longer than a line of a log should be. */
    default String line() {
        final String line = CONTROL.matcher(text()).replaceAll(" ");
        return line.length() <= MOST_LINE ? line : line.substring(0, MOST_LINE) + "...";
    }

    /** What the leaves of the notification have. */
    Details details();

    /** The name of a constant in the model: {@code HIGH_THRESHOLD} is {@code high-threshold}. */
    static String word(final Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
