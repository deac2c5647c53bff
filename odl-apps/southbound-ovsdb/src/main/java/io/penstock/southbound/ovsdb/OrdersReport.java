// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far the agent of a node is with all that was ordered. Names a few tenants of each kind, by conntrack zone.
 *
 * @param answered whether the agent has said anything since it was asked
 * @param waiting what the agent has still to do
 * @param failed what it has tried in vain; it goes on trying
 * @param more how many others of either kind there are
 */
public record OrdersReport(boolean answered, SortedMap<Integer, String> waiting, SortedMap<Integer, String> failed,
        int more) {
    /** Of an agent that has said nothing. */
    static final OrdersReport SILENT = new OrdersReport(false, new TreeMap<>(), new TreeMap<>(), 0);

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Pattern ZONE = Pattern.compile("[0-9]{1,5}");
    private static final int LONGEST_REPORT = 65_536;
    private static final int MOST_NAMED = 32;
    private static final int LONGEST_REASON = 300;

    /** Whether the agent has done, or tried, everything. */
    public boolean isDone() {
        return answered && waiting.isEmpty();
    }

    /** The report about one order or a later one of the same asker; nothing of any other text. */
    static Optional<OrdersReport> of(final String text, final Pattern asker, final long number) {
        final JsonNode json;
        if (text.length() > LONGEST_REPORT) {
            return Optional.empty();
        }
        try {
            json = MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
        final Matcher order = asker.matcher(json.path("order").asText(""));
        return order.matches() && Long.parseLong(order.group(1)) >= number
            ? Optional.of(new OrdersReport(true, reasons(json.path("waiting")), reasons(json.path("failed")),
                Math.max(0, json.path("more").asInt(0)))) : Optional.empty();
    }

    private static SortedMap<Integer, String> reasons(final JsonNode zones) {
        final SortedMap<Integer, String> reasons = new TreeMap<>();
        final Iterator<Map.Entry<String, JsonNode>> fields = zones.fields();
        while (fields.hasNext() && reasons.size() < MOST_NAMED) {
            final Map.Entry<String, JsonNode> zone = fields.next();
            if (ZONE.matcher(zone.getKey()).matches()) {
                final String reason = zone.getValue().asText("");
                reasons.put(Integer.valueOf(zone.getKey()),
                    reason.substring(0, Math.min(reason.length(), LONGEST_REASON)).replaceAll("\\p{Cntrl}", " "));
            }
        }
        return reasons;
    }
}
