// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import java.util.List;
import java.util.Optional;

/**
 * A user has changed the configuration, once or more often in a second.
 *
 * @param user empty when the requests came from a session
 * @param changes how many were accepted
 * @param paths method and path of some of them, in the order in which they were accepted
 * @param tenants names of some that these requests, or further ones, name in path or body
 */
public record ConfigurationEvent(Optional<String> user, int changes, List<String> paths, List<String> tenants)
        implements OperatorEvent {
    /** Copies what is given. */
    public ConfigurationEvent {
        paths = List.copyOf(paths);
        tenants = List.copyOf(tenants);
    }

    @Override
    public String notification() {
        return "penstock-state:configuration-event";
    }

    @Override
    public Severity severity() {
        return Severity.NOTICE;
    }

    @Override
    public String text() {
        return user.map(name -> "user " + name).orElse("a session") + " changed the configuration"
            + (tenants.isEmpty() ? "" : tenants.size() == 1 ? " of tenant " : " of tenants ")
            + String.join(", ", tenants) + ", " + changes
            + (changes == 1 ? " change: " : " changes: ") + String.join(", ", paths)
            + (changes > paths.size() ? ", ..." : "");
    }

    @Override
    public Details details() {
        return Details.none().with("user", user).with("changes", changes).withAll("path", paths)
            .withAll("tenant", tenants);
    }
}
