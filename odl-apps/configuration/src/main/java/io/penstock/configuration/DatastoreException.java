// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import java.io.Serial;

/** The datastore did not read or store. After a commit it is not known whether the change is stored. */
public final class DatastoreException extends IllegalStateException {
    @Serial
    private static final long serialVersionUID = 1L;

    public DatastoreException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
