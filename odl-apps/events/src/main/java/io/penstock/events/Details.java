// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Leaves of a notification with their values as text, in order. A leaf that comes again is a leaf-list.
 *
 * @param leaves those that are there
 */
public record Details(List<Leaf> leaves) {
    /** A leaf and its value, in the form that the model prescribes. */
    public record Leaf(String name, String value) {
        /** Checks what is given. */
        public Leaf {
            requireNonNull(name);
            requireNonNull(value);
        }
    }

    /** Copies what is given. */
    public Details {
        leaves = List.copyOf(leaves);
    }

    /** Names of the leaves, in order. */
    public List<String> names() {
        return leaves.stream().map(Leaf::name).distinct().toList();
    }

    /** No leaves. */
    public static Details none() {
        return new Details(List.of());
    }

    /** With one more leaf. */
    public Details with(final String name, final Object value) {
        final List<Leaf> more = new ArrayList<>(leaves);
        more.add(new Leaf(name, value.toString()));
        return new Details(more);
    }

    /** With one more leaf if it has a value. */
    public Details with(final String name, final Optional<?> value) {
        return value.map(present -> with(name, (Object) present)).orElse(this);
    }

    /** With an entry of a leaf-list for each value. */
    public Details withAll(final String name, final List<?> values) {
        Details all = this;
        for (final Object value : values) {
            all = all.with(name, value);
        }
        return all;
    }
}
