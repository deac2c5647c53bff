// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.rules.Violation;
import java.util.List;

/**
 * The stored configuration as the engine finds it.
 *
 * @param violations rules that it breaks: one that did not pass the guard, such as that of a restored copy. It is not
 *     carried out, and the snapshot then means nothing
 */
public record Stored(Snapshot snapshot, List<Violation> violations) {
    public Stored {
        requireNonNull(snapshot);
        violations = List.copyOf(violations);
    }

    /** Whether it can be carried out. */
    public boolean isValid() {
        return violations.isEmpty();
    }
}
