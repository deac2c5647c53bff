// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.pipeline.rules.Violation;
import java.io.Serial;

/** A configuration that the models allow and that still makes no sense by itself. */
final class UnreadableException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient Violation violation;

    UnreadableException(final Violation violation) {
        super(violation.toString());
        this.violation = violation;
    }

    UnreadableException(final Violation violation, final IllegalArgumentException cause) {
        super(violation.toString(), cause);
        this.violation = violation;
    }

    Violation violation() {
        return violation;
    }
}
