// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import static java.util.Objects.requireNonNull;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One metric with its samples, as one scrape collects it. Not for several threads. */
final class Family {
    private final String name;
    private final String help;
    private final boolean isCounter;
    private final List<String> labels;
    private final Map<List<String>, Double> samples = new LinkedHashMap<>();

    private Family(final String name, final String help, final boolean isCounter, final String... labels) {
        this.name = requireNonNull(name);
        this.help = requireNonNull(help);
        this.isCounter = isCounter;
        this.labels = List.of(labels);
    }

    /** A value that goes up and down. */
    static Family gauge(final String name, final String help, final String... labels) {
        return new Family(name, help, false, labels);
    }

    /** A value that goes up, or begins again at 0. The format adds {@code _total} to the name. */
    static Family counter(final String name, final String help, final String... labels) {
        return new Family(name, help, true, labels);
    }

    /** Adds a value to the sample with these values of the labels. */
    Family add(final double value, final String... values) {
        samples.merge(List.of(values), value, Double::sum);
        return this;
    }

    /** The same for a count; one above 2^53 is rounded. */
    Family add(final long count, final String... values) {
        return add((double) count, values);
    }

    /** The same for what holds or does not: 1 or 0. */
    Family add(final boolean holds, final String... values) {
        return add(holds ? 1.0 : 0.0, values);
    }

    MetricSnapshot snapshot() {
        if (isCounter) {
            final CounterSnapshot.Builder counter = CounterSnapshot.builder().name(name).help(help);
            samples.forEach((values, value) -> counter.dataPoint(
                CounterDataPointSnapshot.builder().value(value).labels(Labels.of(labels, values)).build()));
            return counter.build();
        }
        final GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
        samples.forEach((values, value) -> gauge.dataPoint(
            GaugeDataPointSnapshot.builder().value(value).labels(Labels.of(labels, values)).build()));
        return gauge.build();
    }
}
