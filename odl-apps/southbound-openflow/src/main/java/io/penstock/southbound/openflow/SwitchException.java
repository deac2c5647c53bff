// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import java.io.Serial;

/** A switch refused something or could not be reached. The message has the switch's own words for it. */
public final class SwitchException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    SwitchException(final String message) {
        super(message);
    }

    SwitchException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
