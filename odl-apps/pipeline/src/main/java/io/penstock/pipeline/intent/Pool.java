// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;

/** Public addresses to take from. */
public record Pool(String name, List<Prefix> prefixes) {
    public Pool {
        prefixes = List.copyOf(prefixes);
    }

    /** Whether an address is one of the pool. */
    public boolean contains(final long address) {
        return prefixes.stream().anyMatch(prefix -> prefix.contains(address));
    }

    /** Number of addresses. */
    public long size() {
        return prefixes.stream().mapToLong(prefix -> prefix.end() - prefix.address()).sum();
    }
}
