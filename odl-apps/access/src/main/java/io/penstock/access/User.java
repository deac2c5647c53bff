// SPDX-License-Identifier: Apache-2.0
package io.penstock.access;

import static java.util.Objects.requireNonNull;

import java.util.Set;

/**
 * Who sends a request, as its login has proved.
 *
 * @param tenants that a user of role tenant has; empty for all others
 */
public record User(String name, Role role, Set<String> tenants) {
    /** Copies what is given. */
    public User {
        requireNonNull(name);
        requireNonNull(role);
        tenants = Set.copyOf(tenants);
    }
}
