// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Canary;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The rules for a new version of a function. */
final class CanaryRules {
    private static final String LEAF = "canary / instance";

    private CanaryRules() {
        // Only functions.
    }

    /** What is wrong with the canary of a function; nothing when it has none. */
    static List<Violation> validate(final NetworkFunction function) {
        final List<Violation> violations = new ArrayList<>();
        function.canary().ifPresent(canary -> check(function, canary, violations));
        return violations;
    }

    private static void check(final NetworkFunction function, final Canary canary, final List<Violation> violations) {
        final String entry = "function " + function.name();
        if (function.mirror()) {
            violations.add(new Violation(entry, "canary",
                "a mirror returns no packets to evaluate; remove canary or mirror"));
            return;
        }
        if (function.health().isEmpty()) {
            violations.add(new Violation(entry, "canary", "needs health-check, whose probes are evaluated"));
        }
        if (canary.instances().size() > SizeRules.MOST_INSTANCES) {
            violations.add(new Violation(entry, LEAF, canary.instances().size() + " instances are more than "
                + SizeRules.MOST_INSTANCES));
            return;
        }
        final List<Instance> known = function.spread() ? function.instances() : List.of();
        if (canary.instances().isEmpty()) {
            violations.add(new Violation(entry, LEAF, "is missing; name the instances that run the new version"));
        } else if (!known.isEmpty() && known.stream().allMatch(canary::has)) {
            violations.add(new Violation(entry, LEAF, "names all instances, so none is left to compare with; leave "
                + "one out, or delete canary in the same change"));
        }
        for (final String name : canary.instances()) {
            known.stream().filter(instance -> instance.name().equals(name)).findFirst().ifPresentOrElse(instance -> {
                if (instance.state() != State.IN_SERVICE) {
                    violations.add(new Violation(entry, LEAF, name + " is not in-service, so it cannot be evaluated; "
                        + "make it in-service, or remove it from canary in the same change"));
                }
            }, () -> violations.add(new Violation(entry, LEAF, Validator.unknown("instance", name,
                known.stream().collect(Collectors.toMap(Instance::name, each -> each, (one, other) -> one,
                    TreeMap::new))))));
        }
    }
}
