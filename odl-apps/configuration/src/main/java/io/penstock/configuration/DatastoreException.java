// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import com.google.common.base.Throwables;
import java.io.Serial;
import org.opendaylight.mdsal.common.api.OptimisticLockFailedException;

/** The datastore did not read or store. After a commit it is not known whether the change is stored. */
public final class DatastoreException extends IllegalStateException {
    @Serial
    private static final long serialVersionUID = 1L;

    DatastoreException(final String message) {
        super(message);
    }

    public DatastoreException(final String message, final Throwable cause) {
        super(message, cause);
    }

    /** Whether another transaction has changed the same data meanwhile, so that nothing of this one is stored. */
    boolean isConflict() {
        return Throwables.getCausalChain(this).stream().anyMatch(OptimisticLockFailedException.class::isInstance);
    }
}
