// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import java.io.Serial;

/** Bytes that are no flow of ours: another author's, or damaged. The message names the part that is not known. */
public final class UndecodableException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    UndecodableException(final String message) {
        super(message);
    }

    UndecodableException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
