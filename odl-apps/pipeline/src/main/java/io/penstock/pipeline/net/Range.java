// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** IPv4 addresses from {@code first} to {@code last}, both included. {@code last} may be below, which is refused. */
public record Range(Ipv4 first, Ipv4 last) {
    public boolean contains(final Ipv4 address) {
        return first.compareTo(address) <= 0 && address.compareTo(last) <= 0;
    }

    public boolean overlaps(final Range other) {
        return first.compareTo(other.last) <= 0 && other.first.compareTo(last) <= 0;
    }

    /** The range without those of another: none, one or two. */
    public Stream<Range> without(final Range other) {
        if (!overlaps(other)) {
            return Stream.of(this);
        }
        return Stream.concat(
            first.compareTo(other.first) < 0 ? Stream.of(new Range(first, other.first.plus(-1))) : Stream.empty(),
            other.last.compareTo(last) < 0 ? Stream.of(new Range(other.last.plus(1), last)) : Stream.empty());
    }

    /** The range as the fewest prefixes. */
    public List<Prefix> prefixes() {
        final List<Prefix> prefixes = new ArrayList<>();
        final long end = last.number() + 1;
        long at = first.number();
        while (at < end) {
            long size = at == 0 ? 1L << 32 : Long.lowestOneBit(at);
            while (at + size > end) {
                size >>= 1;
            }
            prefixes.add(new Prefix(new Ipv4(at), 32 - Long.numberOfTrailingZeros(size)));
            at += size;
        }
        return prefixes;
    }

    /** Number of addresses. */
    public long size() {
        return last.minus(first) + 1;
    }

    @Override
    public String toString() {
        return first + "-" + last;
    }
}
