// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads from the row of a node's bridge where frames come from that flood the slow path. Stateless. */
final class FloodsReader {
    private static final Pattern PLACE = Pattern.compile("[^/ ]{1,63}/[0-9]{1,4}");
    private static final int MOST = 256;

    private FloodsReader() {
        // Stateless.
    }

    /** Each as port/VLAN. What is no such text is left out, and all beyond 256. */
    static Set<String> read(final Optional<TableRow> bridge) {
        final Object text = bridge.<Object>map(row -> row.map(OvsTables.EXTERNAL_IDS).get(NodeKeys.FLOODS)).orElse("");
        return text instanceof String places
            ? Stream.of(places.split(" ", MOST + 1)).limit(MOST).filter(PLACE.asMatchPredicate())
                .collect(Collectors.toUnmodifiableSet())
            : Set.of();
    }
}
