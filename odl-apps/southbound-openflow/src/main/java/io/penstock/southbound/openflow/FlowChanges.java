// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.penstock.pipeline.flow.FlowSpec;
import java.util.List;
import java.util.Set;

/**
 * What is to change on one switch. Removals come first. A flow in {@code add} replaces the flow with the same key,
 * which need not be in {@code remove}; removing what is not there is no error.
 *
 * @param removeCookies cookies of which every flow goes
 */
public record FlowChanges(Set<Long> removeCookies, List<FlowSpec.Key> remove, List<ForeignFlow> removeForeign,
        List<FlowSpec> add) {
    public FlowChanges {
        removeCookies = Set.copyOf(removeCookies);
        remove = List.copyOf(remove);
        removeForeign = List.copyOf(removeForeign);
        add = List.copyOf(add);
    }

    /** Changes without cookies and foreign flows. */
    public static FlowChanges of(final List<FlowSpec.Key> remove, final List<FlowSpec> add) {
        return new FlowChanges(Set.of(), remove, List.of(), add);
    }

    /** Number of messages it takes. */
    public int size() {
        return removeCookies.size() + remove.size() + removeForeign.size() + add.size();
    }
}
