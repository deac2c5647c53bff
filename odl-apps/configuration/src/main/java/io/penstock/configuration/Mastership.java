// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static java.util.Objects.requireNonNull;

/**
 * The right of one engine to allocate and to give orders to nodes, until another engine claims it.
 *
 * @param epoch greater than that of each mastership before; 1 or more
 * @param member name of the member of the cluster that has the engine
 */
public record Mastership(long epoch, String member) {
    public Mastership {
        requireNonNull(member);
        if (epoch < 1) {
            throw new IllegalArgumentException("epoch " + epoch);
        }
    }
}
