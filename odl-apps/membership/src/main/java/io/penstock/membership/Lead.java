// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * Where the leadership is, as far as this member knows.
 *
 * @param own whether this member leads, and a majority of the members follows it
 * @param leader name of the member that leads; empty while none is known
 */
public record Lead(boolean own, Optional<String> leader) {
    /** While no member is known to lead. */
    static final Lead UNKNOWN = new Lead(false, Optional.empty());

    public Lead {
        requireNonNull(leader);
    }
}
