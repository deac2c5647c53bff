// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The flows that a datapath has cached for the packets it saw: what a packet costs as long as nothing changes.
 *
 * @param lines the flows, with what is not in their match cut off
 */
public record DatapathFlows(List<String> lines) {
    private static final Pattern FLOW = Pattern.compile("^(?:ufid:\\S+ )?(\\S.*?), packets:", Pattern.MULTILINE);
    private static final Pattern TOKEN = Pattern.compile("([a-z0-9_]+)([(=])|(\\))|([^(),=]+)");
    /** Places of the datapath's key that have a name for every protocol: they are one place. */
    private static final Set<String> PORTS = Set.of("tcp", "udp", "sctp");
    private static final Pattern NO_MASK = Pattern.compile("[0:.x]+");

    public DatapathFlows {
        lines = List.copyOf(lines);
    }

    /** Reads what {@code dpctl/dump-flows -m} says. */
    public static DatapathFlows parse(final String dump) {
        return new DatapathFlows(FLOW.matcher(dump).results().map(flow -> flow.group(1)).toList());
    }

    /** How many flows there are. */
    public int count() {
        return lines.size();
    }

    /**
     * The different masks, with the port a packet came from. The userspace datapath has a hash table for each, and
     * looks a packet up in those of its port, one after the other (dpcls_lookup, lib/dpif-netdev.c).
     */
    public SortedSet<String> masks() {
        return lines.stream().map(DatapathFlows::mask).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String mask(final String line) {
        final List<String> fields = new ArrayList<>();
        final Deque<String> path = new ArrayDeque<>();
        final Matcher matcher = TOKEN.matcher(line);
        String name = "";
        while (matcher.find()) {
            if ("(".equals(matcher.group(2))) {
                path.push(matcher.group(1));
                name = "";
            } else if (matcher.group(2) != null) {
                name = matcher.group(1);
            } else if (matcher.group(3) != null) {
                path.pop();
            } else {
                field(fields, path, name, matcher.group(4));
                name = "";
            }
        }
        Collections.sort(fields);
        return String.join(" ", fields);
    }

    private static void field(final List<String> fields, final Deque<String> path, final String name,
            final String value) {
        final List<String> names = new ArrayList<>(path);
        Collections.reverse(names);
        final String place = names.stream().map(each -> PORTS.contains(each) ? "ports" : each)
            .collect(Collectors.joining(".")) + (name.isEmpty() ? "" : "." + name);
        if ("in_port".equals(place)) {
            fields.add(place + "=" + value);
            return;
        }
        final String[] halves = value.split("/", 2);
        if (value.startsWith("+") || value.startsWith("-")) {
            fields.add(place + "/" + value.replace('-', '+'));
        } else if (halves.length == 1) {
            fields.add(place);
        } else if (!NO_MASK.matcher(halves[1]).matches()) {
            fields.add(place + "/" + halves[1]);
        }
    }

    @Override
    public String toString() {
        return lines.stream().map(line -> Arrays.stream(line.split("(?<=\\)),"))
            .filter(field -> !field.matches("\\w+\\([0x]+/[0x]+\\)")).collect(Collectors.joining(",")))
            .collect(Collectors.joining("\n"));
    }
}
