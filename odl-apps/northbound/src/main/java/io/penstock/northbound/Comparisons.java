// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import io.penstock.engine.node.NodeWorker;
import io.penstock.engine.node.Observation;
import io.penstock.operations.FlowCounts;
import io.penstock.operations.Verification;
import io.penstock.operations.Verification.Difference;
import io.penstock.pipeline.flow.FlowSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells operators how switches compare with their plans. */
final class Comparisons {
    private static final FlowCounts NOTHING_KNOWN = new FlowCounts(0, 0, 0, 0, 0);
    private static final int MAX_DIFFERENCES = 1000;

    private Comparisons() {
        // Only functions.
    }

    /** The comparison of a node; of one whose switch did not answer, that nothing planned is there. */
    static Verification of(final String node, final NodeWorker worker, final @Nullable Observation seen) {
        return new Verification(node, seen != null, counts(worker, seen), seen == null ? List.of() : differences(seen));
    }

    /** The numbers of the same. */
    static FlowCounts counts(final NodeWorker worker, final @Nullable Observation seen) {
        if (seen == null) {
            return worker.plan().map(plan -> new FlowCounts(plan.size(), 0, plan.size(), 0, 0)).orElse(NOTHING_KNOWN);
        }
        return new FlowCounts(seen.plan().size(), seen.diff().proper().size(), seen.missing(), seen.excess(),
            seen.wrong());
    }

    private static List<Difference> differences(final Observation seen) {
        final List<Difference> differences = new ArrayList<>();
        final Set<FlowSpec.Key> replaced = seen.replaced();
        seen.meters().missing().forEach(meter -> differences.add(new Difference("missing", meter.text())));
        seen.meters().wrong().forEach(meter -> differences.add(new Difference("wrong", meter.text())));
        seen.meters().excess().forEach(id ->
            differences.add(new Difference("excess", "meter=" + Integer.toUnsignedString(id))));
        seen.diff().missing().forEach(flow -> differences.add(
            new Difference(replaced.contains(flow.key()) ? "wrong" : "missing", flow.toString())));
        seen.diff().wrong().forEach(flow -> differences.add(new Difference("wrong", flow.toString())));
        seen.diff().excess().forEach(flow -> differences.add(new Difference("excess", flow.toString())));
        seen.dump().foreign().stream().filter(flow -> flow.key().filter(replaced::contains).isEmpty())
            .forEach(flow -> differences.add(new Difference("excess",
                "table=" + flow.table() + ",priority=" + flow.priority() + " (" + flow.problem() + ")")));
        return differences.size() > MAX_DIFFERENCES ? differences.subList(0, MAX_DIFFERENCES) : differences;
    }
}
