// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.flow.Ipv4;

/** IPv4 addresses from {@code first} to {@code last}, both included. {@code last} may be below, which is refused. */
public record Range(long first, long last) {
    public boolean contains(final long address) {
        return address >= first && address <= last;
    }

    public boolean overlaps(final Range other) {
        return first <= other.last && other.first <= last;
    }

    /** Number of addresses. */
    public long size() {
        return last - first + 1;
    }

    @Override
    public String toString() {
        return Ipv4.text(first) + "-" + Ipv4.text(last);
    }
}
