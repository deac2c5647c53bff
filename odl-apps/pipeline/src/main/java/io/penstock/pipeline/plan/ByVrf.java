// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.registry.VrfId;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What two plans of a node have for each VRF. Walks both side by side: a node may have a thousand VRFs, of which a
 * packet changes one, and to look each up takes ten times as long.
 */
final class ByVrf {
    private ByVrf() {
        // Only functions.
    }

    /**
     * Finds the VRFs that have not the same list in both; what was not planned again is the same object.
     *
     * @param differing takes the list of the one and that of the other, empty where there is none
     */
    @SuppressWarnings("ReferenceEquality")
    static <V> void compare(final SortedMap<VrfId, List<V>> one, final SortedMap<VrfId, List<V>> other,
            final BiConsumer<List<V>, List<V>> differing) {
        final Iterator<Map.Entry<VrfId, List<V>>> ours = one.entrySet().iterator();
        final Iterator<Map.Entry<VrfId, List<V>>> theirs = other.entrySet().iterator();
        Map.Entry<VrfId, List<V>> our = next(ours);
        Map.Entry<VrfId, List<V>> their = next(theirs);
        while (our != null || their != null) {
            final int order = our == null ? 1 : their == null ? -1
                : Integer.compare(our.getKey().number(), their.getKey().number());
            final List<V> here = order <= 0 && our != null ? our.getValue() : List.of();
            final List<V> there = order >= 0 && their != null ? their.getValue() : List.of();
            if (here != there) {
                differing.accept(here, there);
            }
            our = order <= 0 ? next(ours) : our;
            their = order >= 0 ? next(theirs) : their;
        }
    }

    private static <E> @Nullable E next(final Iterator<E> entries) {
        return entries.hasNext() ? entries.next() : null;
    }
}
