// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import io.penstock.configuration.Desired;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The tenants with samples of their own: as many as a setting has, those with the lowest ids, which are the oldest and
 * so stay the same. The samples of all others are added up.
 *
 * @param named names of these tenants
 */
record TenantLabels(Set<String> named) {
    /** The value of the label for all other tenants together; no name of a tenant has parentheses. */
    static final String OTHERS = "(others)";

    /** Those of a state. */
    static TenantLabels of(final Desired desired, final int most) {
        final Set<String> configured = desired.snapshot().tenants().keySet();
        if (configured.size() <= most) {
            return new TenantLabels(Set.copyOf(configured));
        }
        return new TenantLabels(desired.allocations().tenants().entrySet().stream()
            .filter(given -> configured.contains(given.getKey()))
            .sorted(Comparator.comparing(given -> given.getValue().id())).limit(most).map(Map.Entry::getKey)
            .collect(Collectors.toSet()));
    }

    /** The value of the label for a tenant. */
    String of(final String tenant) {
        return named.contains(tenant) ? tenant : OTHERS;
    }
}
