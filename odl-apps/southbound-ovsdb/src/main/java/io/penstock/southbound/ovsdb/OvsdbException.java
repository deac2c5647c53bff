// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

/** A node refused a request, did not answer it, or is gone; or the server could not listen. */
public final class OvsdbException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OvsdbException(final String message) {
        super(message);
    }

    OvsdbException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
