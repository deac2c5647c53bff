// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration.grant;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * From one desired state to the next.
 *
 * @param tenants names of the tenants that are configured otherwise, or were given something else; also those that came
 *     or are gone
 */
@SuppressWarnings("ReferenceEquality") // an object that did not change is the same one
public record Transition(Desired before, Desired after, Set<String> tenants) {
    public Transition {
        requireNonNull(before);
        requireNonNull(after);
        tenants = Set.copyOf(tenants);
    }

    /** Finds the tenants that differ. They are compared as objects: that costs little for each that stays. */
    public static Transition between(final Desired before, final Desired after) {
        final Set<String> tenants = new HashSet<>();
        if (before.snapshot() != after.snapshot()) {
            tenants.addAll(after.snapshot().tenantsDifferingFrom(before.snapshot()));
        }
        if (before.allocations() != after.allocations()) {
            addDiffering(tenants, before.allocations().tenants(), after.allocations().tenants());
        }
        if (!before.failed().equals(after.failed())) {
            tenants.addAll(before.failed().keySet());
            tenants.addAll(after.failed().keySet());
        }
        return new Transition(before, after, tenants);
    }

    private static <T> void addDiffering(final Set<String> names, final Map<String, T> before,
            final Map<String, T> after) {
        after.forEach((name, value) -> {
            if (before.get(name) != value) {
                names.add(name);
            }
        });
        before.keySet().stream().filter(name -> !after.containsKey(name)).forEach(names::add);
    }

    /** Whether anything differs but the revision. */
    public boolean isEmpty() {
        return before.sameAs(after);
    }

    /** Whether other things than tenants and what they were given may differ. */
    public boolean isWide() {
        return !sameBesidesTenants(before.snapshot(), after.snapshot())
            || !sameBesidesTenants(before.allocations(), after.allocations());
    }

    private static boolean sameBesidesTenants(final Snapshot one, final Snapshot other) {
        return one == other || one.hasSameSharedPartAs(other);
    }

    private static boolean sameBesidesTenants(final Allocations one, final Allocations other) {
        return one == other || one.nodes().equals(other.nodes()) && one.ports().equals(other.ports())
            && one.canaries().equals(other.canaries()) && one.secret().equals(other.secret());
    }

    /** The nodes whose plans may differ: those of the tenants that differ, or all if that is not enough. */
    public Set<String> nodes() {
        if (isWide()) {
            return Set.copyOf(after.snapshot().nodes().keySet());
        }
        final Set<String> nodes = new HashSet<>();
        tenants.stream().flatMap(name -> Stream.of(before, after)
            .map(state -> state.snapshot().tenants().get(name))).filter(Objects::nonNull)
            .flatMap(tenant -> tenant.attachments().stream()).map(Tenant.Attachment::node)
            .filter(after.snapshot().nodes()::containsKey).forEach(nodes::add);
        return nodes;
    }
}
