// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.registry.VrfId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A tenant that cannot be planned, which is a bug. It keeps what it has, and all others are planned.
 *
 * @param flows which flows the tenant has
 * @param vrf its VRF; empty when it has no flows
 * @param cause what planning it ended with
 */
public record Quarantine(Flows flows, Optional<VrfId> vrf, Throwable cause) {
    /** Which flows a tenant has that cannot be planned. */
    public enum Flows {
        /** Those of the last plan of it. */
        PLANNED("its flows of before stay"),
        /** There is no plan of it since the controller started: what the switch has is left alone. */
        KEPT("its flows of before stay"),
        /** None: it is new, or something of its last plan belongs to another tenant now. */
        NONE("it has no flows");

        private final String text;

        Flows(final String text) {
            this.text = text;
        }
    }

    public Quarantine {
        requireNonNull(flows);
        requireNonNull(vrf);
        requireNonNull(cause);
    }

    /** Whether another one has the same reason. */
    public boolean isLike(final @Nullable Quarantine other) {
        return other != null && reason().equals(other.reason());
    }

    /** For people, in one line. */
    public String reason() {
        return "the tenant cannot be planned, " + flows.text + ": " + cause;
    }
}
