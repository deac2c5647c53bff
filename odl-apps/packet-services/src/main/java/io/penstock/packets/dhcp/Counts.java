// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.dhcp;

import io.penstock.dhcp.Answer;
import io.penstock.dhcp.Query;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How many messages came to the DHCP servers, and what became of them, since the start. Safe for all threads. */
public final class Counts {
    private record Key(String tenant, String what) { }

    private final Map<Key, LongAdder> counts = new ConcurrentHashMap<>();

    Counts() {
        // Nothing counted yet.
    }

    void malformed(final String tenant) {
        add(tenant, "dropped: malformed");
    }

    /** A message on which the server failed, which is a defect of it. */
    void failed(final String tenant) {
        add(tenant, "dropped: failed");
    }

    /** A message and what it led to. */
    void count(final String tenant, final Query query, final Answer answer) {
        final String type = query.message().type().map(each -> each.name().toLowerCase(Locale.ROOT)).orElse("other");
        if (answer instanceof Answer.Reply reply) {
            add(tenant, type + ": " + reply.message().type().map(each -> each.name().toLowerCase(Locale.ROOT))
                .orElse("other"));
        } else if (answer instanceof Answer.Nothing nothing) {
            add(tenant, type + ": " + nothing.reason().text());
        } else {
            add(tenant, type + (answer instanceof Answer.Ask ? ": holder asked" : ": probe"));
        }
    }

    /** The counts by tenant, and by what was asked and what was answered. */
    public SortedMap<String, SortedMap<String, Long>> all() {
        final SortedMap<String, SortedMap<String, Long>> result = new TreeMap<>();
        counts.forEach((key, count) ->
            result.computeIfAbsent(key.tenant(), tenant -> new TreeMap<>()).put(key.what(), count.sum()));
        return result;
    }

    private void add(final String tenant, final String what) {
        counts.computeIfAbsent(new Key(tenant, what), key -> new LongAdder()).increment();
    }
}
