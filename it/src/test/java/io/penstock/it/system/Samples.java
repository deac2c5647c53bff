// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A scrape in Prometheus' text format: values by series, such as {@code penstock_node_connected{node="edge1"}}. */
final class Samples {
    private static final Pattern SAMPLE = Pattern.compile("(\\w+(?:\\{.*\\})?) (\\S+)");

    private final String text;
    private final Map<String, Double> values = new LinkedHashMap<>();

    Samples(final String text) {
        this.text = text;
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            final Matcher matcher = SAMPLE.matcher(line);
            if (!matcher.matches()) {
                throw new AssertionError("this is no sample: " + line);
            }
            values.put(matcher.group(1), Double.valueOf(matcher.group(2)));
        });
    }

    /** As it was received. */
    String text() {
        return text;
    }

    /** A value; absent if there is no such series. */
    OptionalDouble find(final String series) {
        return values.containsKey(series) ? OptionalDouble.of(values.get(series)) : OptionalDouble.empty();
    }

    double get(final String series) {
        return find(series).orElseThrow(() -> new AssertionError("no " + series + " in " + text));
    }

    /** The sum of all series of a metric that have these labels, such as {@code node="edge1"}. */
    double sum(final String metric, final String... labels) {
        return values.entrySet().stream().filter(each -> each.getKey().startsWith(metric + "{")
            && Stream.of(labels).allMatch(each.getKey()::contains)).mapToDouble(Map.Entry::getValue).sum();
    }
}
