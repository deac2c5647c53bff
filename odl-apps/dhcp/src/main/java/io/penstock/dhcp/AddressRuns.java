// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import java.util.Map;
import java.util.TreeMap;

/**
 * A set of addresses that finds the next one it has not, however many there are: runs of addresses in a row. Addresses
 * are numbers here, for the one behind the last of a run may be none.
 */
final class AddressRuns {
    /** First address of each run and the one behind its last. */
    private final TreeMap<Long, Long> runs = new TreeMap<>();

    boolean contains(final long address) {
        final Map.Entry<Long, Long> run = runs.floorEntry(address);
        return run != null && address < run.getValue();
    }

    /** The first address from {@code address} on that is not in the set. */
    long nextAbsent(final long address) {
        final Map.Entry<Long, Long> run = runs.floorEntry(address);
        return run == null ? address : Math.max(address, run.getValue());
    }

    void add(final long address) {
        if (contains(address)) {
            return;
        }
        final Map.Entry<Long, Long> before = runs.lowerEntry(address);
        final Map.Entry<Long, Long> after = runs.ceilingEntry(address);
        long end = address + 1;
        if (after != null && after.getKey() == end) {
            end = after.getValue();
            runs.remove(after.getKey());
        }
        final boolean joins = before != null && before.getValue() == address;
        runs.put(joins ? before.getKey().longValue() : address, end);
    }

    void remove(final long address) {
        if (!contains(address)) {
            return;
        }
        final Map.Entry<Long, Long> run = runs.floorEntry(address);
        runs.remove(run.getKey());
        if (run.getKey() < address) {
            runs.put(run.getKey(), address);
        }
        if (address + 1 < run.getValue()) {
            runs.put(address + 1, run.getValue());
        }
    }
}
