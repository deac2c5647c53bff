// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.penstock.pipeline.flow.FlowSpec;
import java.util.List;

/**
 * What is to change on one switch. Removals come first. A flow in {@code add} replaces the flow with the same key,
 * which need not be in {@code remove}; removing what is not there is no error.
 */
public record FlowChanges(List<FlowSpec.Key> remove, List<ForeignFlow> removeForeign, List<FlowSpec> add) {
    public FlowChanges {
        remove = List.copyOf(remove);
        removeForeign = List.copyOf(removeForeign);
        add = List.copyOf(add);
    }

    /** Changes without foreign flows. */
    public static FlowChanges of(final List<FlowSpec.Key> remove, final List<FlowSpec> add) {
        return new FlowChanges(remove, List.of(), add);
    }

    /** Number of messages it takes. */
    public int size() {
        return remove.size() + removeForeign.size() + add.size();
    }
}
