// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.FlowText;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.registry.Table;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The plan of a network as text: for reviewers whole or as the difference from another one, and for a hash. */
final class GoldenText {
    private static final String METERS = "Meters of the tenants.";

    private final String name;
    private final NodePlan plan;
    private final SortedMap<Integer, String> ports = new TreeMap<>();
    private final SortedMap<Integer, String> vrfs = new TreeMap<>();
    private final Map<String, SortedMap<String, Entry>> sections = new LinkedHashMap<>();

    GoldenText(final GoldenCase network) {
        name = network.name();
        plan = network.plan();
        plan.bridge().ports().forEach(port -> ports.put(port.number(), port.name()));
        network.allocations().tenants().forEach((tenant, given) -> vrfs.put(given.id(), tenant));
        final FlowWords words = new FlowWords(ports, vrfs);
        Stream.concat(Arrays.stream(Table.values()).map(GoldenText::heading), Stream.of(METERS))
            .forEach(heading -> sections.put(heading, new TreeMap<>()));
        plan.flows().forEach((key, planned) -> section(heading(key.table())).put(
            "%05d %s".formatted(0xffff - key.priority(), words.of(key.matches())),
            new Entry("# " + planned.label() + "\n", words.of(planned.flow()))));
        meters().forEach(meter -> section(METERS).put(words.meter(meter.id()), new Entry("", words.of(meter))));
    }

    private Stream<MeterSpec> meters() {
        return plan.tenantMeters().values().stream().flatMap(List::stream);
    }

    /** A flow or a meter, with a line that says what it is for. */
    private record Entry(String label, String line) { }

    private SortedMap<String, Entry> section(final String heading) {
        return requireNonNull(sections.get(heading));
    }

    private static String heading(final Table table) {
        return table.text() + ": " + table.purpose();
    }

    /** The lines of the flows, in the words of {@link FlowWords}. */
    List<String> flowLines() {
        return sections.entrySet().stream().filter(section -> !section.getKey().equals(METERS))
            .flatMap(section -> section.getValue().values().stream()).map(Entry::line).toList();
    }

    String whole() {
        return "# " + name + ", the whole plan.\n" + names() + changes(heading -> new TreeMap<>(), "");
    }

    String differenceFrom(final GoldenText parent) {
        return "# " + name + ", where its plan differs from that of " + parent.name + ": - is in that one, + in this.\n"
            + names() + changes(parent::section, "+ ");
    }

    private String names() {
        return "# Ports: " + list(ports) + ". VRFs: " + list(vrfs) + ".\n";
    }

    private static String list(final SortedMap<Integer, String> names) {
        return names.isEmpty() ? "none" : names.entrySet().stream()
            .map(each -> each.getKey() + " " + each.getValue()).collect(Collectors.joining(", "));
    }

    private String changes(final Function<String, SortedMap<String, Entry>> before, final String sign) {
        final StringBuilder text = new StringBuilder();
        sections.forEach((heading, now) -> {
            final String changes = changes(before.apply(heading), now, sign);
            if (!changes.isEmpty()) {
                text.append("\n## ").append(heading).append("\n\n").append(changes);
            }
        });
        return text.toString();
    }

    private static String changes(final SortedMap<String, Entry> before, final SortedMap<String, Entry> now,
            final String sign) {
        final StringBuilder text = new StringBuilder();
        final TreeSet<String> places = new TreeSet<>(before.keySet());
        places.addAll(now.keySet());
        for (final String place : places) {
            final Entry was = before.get(place);
            final Entry is = now.get(place);
            if (was != null && !was.equals(is)) {
                text.append(was.label()).append("- ").append(was.line()).append('\n');
            }
            if (is != null && !is.equals(was)) {
                text.append(is.label()).append(sign).append(is.line()).append('\n');
            }
        }
        return text.toString();
    }

    /**
     * SHA-256 of all flows, as {@link FlowText} has them, and meters. Labels do not count: a figure of the benchmark is
     * of another pipeline when this differs.
     */
    String hash() {
        final Comparator<FlowSpec> order = Comparator.comparing(FlowSpec::table)
            .thenComparing(Comparator.comparing(FlowSpec::priority).reversed()).thenComparing(FlowSpec::toString);
        final Stream<String> flows = plan.flowSpecs().stream().sorted(order).map(FlowSpec::toString);
        final Stream<String> meters = meters().map(meter -> "meter=%d %s rate=%d burst=%d".formatted(meter.id(),
            meter.unit().name().toLowerCase(Locale.ROOT), meter.rate(), meter.burst()));
        final String text = Stream.concat(flows, meters).map(line -> line + "\n").collect(Collectors.joining());
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256")
                .digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
