// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.flow.Ipv4;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** IPv6 addresses as text (RFC 4291, section 2.2). Java's own reader would ask the DNS about what is none. */
final class Ipv6Literal {
    private static final int BYTES = 16;
    private static final int GROUPS = 8;

    private Ipv6Literal() {
        // Only functions.
    }

    /** The 16 bytes of an address; empty when the text is none. Zones are not read. */
    static Optional<byte[]> parse(final String text) {
        final int gap = text.indexOf("::");
        if (gap < 0) {
            return groups(text).filter(all -> all.size() == GROUPS).map(all -> bytes(all, List.of()));
        }
        final String head = text.substring(0, gap);
        final Optional<List<Integer>> first = head.contains(".") ? Optional.empty() : groups(head);
        final Optional<List<Integer>> last = groups(text.substring(gap + 2));
        if (first.isEmpty() || last.isEmpty() || first.orElseThrow().size() + last.orElseThrow().size() >= GROUPS) {
            return Optional.empty();
        }
        return Optional.of(bytes(first.orElseThrow(), last.orElseThrow()));
    }

    /** Groups of 16 bits, the last two of which may be written as an IPv4 address; empty when it is something else. */
    private static Optional<List<Integer>> groups(final String text) {
        final List<Integer> groups = new ArrayList<>();
        final String[] parts = text.isEmpty() ? new String[0] : text.split(":", -1);
        for (int index = 0; index < parts.length; index++) {
            if (parts[index].matches("[0-9A-Fa-f]{1,4}")) {
                groups.add(Integer.parseInt(parts[index], 16));
            } else if (index == parts.length - 1 && parts[index].contains(".")) {
                try {
                    final long address = Ipv4.parse(parts[index]);
                    groups.add((int) (address >> 16));
                    groups.add((int) (address & 0xffff));
                } catch (IllegalArgumentException e) {
                    return Optional.empty();
                }
            } else {
                return Optional.empty();
            }
        }
        return Optional.of(groups);
    }

    private static byte[] bytes(final List<Integer> first, final List<Integer> last) {
        final ByteBuffer buffer = ByteBuffer.allocate(BYTES);
        first.forEach(group -> buffer.putShort(group.shortValue()));
        buffer.position(BYTES - 2 * last.size());
        last.forEach(group -> buffer.putShort(group.shortValue()));
        return buffer.array();
    }
}
