// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.util.List;
import java.util.Optional;

/**
 * Public addresses to take from.
 *
 * @param drain addresses of which nobody new gets one; all are in {@code prefixes}
 * @param force whether a change may take addresses away that tenants have
 * @param thresholds when to tell how much is used
 */
public record Pool(String name, List<Prefix> prefixes, List<Prefix> drain, boolean force,
        Optional<Thresholds> thresholds) {
    public Pool {
        prefixes = List.copyOf(prefixes);
        drain = List.copyOf(drain);
    }

    /** Of which nothing is drained, taken away or told. */
    public Pool(final String name, final List<Prefix> prefixes) {
        this(name, prefixes, List.of(), false, Optional.empty());
    }

    /** Whether an address is one of the pool. */
    public boolean contains(final Ipv4 address) {
        return Prefix.anyContains(prefixes, address);
    }

    /** Whether nobody new gets an address. */
    public boolean drains(final Ipv4 address) {
        return Prefix.anyContains(drain, address);
    }

    /** Number of addresses. */
    public long size() {
        return prefixes.stream().mapToLong(Prefix::size).sum();
    }
}
