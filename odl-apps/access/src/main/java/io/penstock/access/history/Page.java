// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.history;

import java.util.List;
import java.util.OptionalLong;

/**
 * Some changes, the latest first.
 *
 * @param member name of the controller that has accepted them
 * @param before where to go on; empty if there is no earlier change
 * @param problems of files that cannot be read
 */
public record Page(String member, List<ConfigurationChange> changes, OptionalLong before, List<String> problems) {
    /** Copies what is given. */
    public Page {
        changes = List.copyOf(changes);
        problems = List.copyOf(problems);
    }
}
