// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** The assignments that are held now, by tenant, with the times from which on. Not for several threads. */
final class Held {
    private final Map<String, Map<Assignment, Instant>> tenants = new LinkedHashMap<>();
    private int size;

    /** All assignments of a tenant. */
    Set<Assignment> of(final String tenant) {
        return tenants.getOrDefault(tenant, Map.of()).keySet();
    }

    /** The tenants that hold something. */
    Set<String> tenants() {
        return tenants.keySet();
    }

    /** The number of assignments. */
    int size() {
        return size;
    }

    void put(final Assignment assignment, final Instant since) {
        if (tenants.computeIfAbsent(assignment.tenant(), name -> new LinkedHashMap<>()).put(assignment, since)
                == null) {
            size++;
        }
    }

    void remove(final Assignment assignment) {
        tenants.computeIfPresent(assignment.tenant(), (name, held) -> {
            if (held.remove(assignment) != null) {
                size--;
            }
            return held.isEmpty() ? null : held;
        });
    }

    void clear() {
        tenants.clear();
        size = 0;
    }

    void forEach(final BiConsumer<Assignment, Instant> taker) {
        tenants.values().forEach(each -> each.forEach(taker));
    }
}
