// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;
import java.util.Optional;

/** A change of public addresses that is thought of. */
public sealed interface PoolChange {
    /** A pool would have these prefixes. */
    record OfPool(String pool, List<String> prefixes) implements PoolChange { }

    /** An entry of a tenant's port-block would have another public prefix, or block size, or both. */
    record OfPortBlock(String tenant, String inside, Optional<String> outside, Optional<Integer> blockSize)
            implements PoolChange { }
}
