// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** IPv4 addresses from {@code first} to {@code last}, both included. {@code last} may be below, which is refused. */
public record Range(long first, long last) {
    public boolean contains(final long address) {
        return address >= first && address <= last;
    }

    public boolean overlaps(final Range other) {
        return first <= other.last && other.first <= last;
    }

    /** The range without those of another: none, one or two. */
    public Stream<Range> without(final Range other) {
        return overlaps(other)
            ? Stream.of(new Range(first, other.first - 1), new Range(other.last + 1, last))
                .filter(range -> range.first <= range.last)
            : Stream.of(this);
    }

    /** The range as the fewest prefixes. */
    public List<Prefix> prefixes() {
        final List<Prefix> prefixes = new ArrayList<>();
        long at = first;
        while (at <= last) {
            long size = at == 0 ? 1L << 32 : Long.lowestOneBit(at);
            while (at + size - 1 > last) {
                size >>= 1;
            }
            prefixes.add(new Prefix(at, 32 - Long.numberOfTrailingZeros(size)));
            at += size;
        }
        return prefixes;
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
