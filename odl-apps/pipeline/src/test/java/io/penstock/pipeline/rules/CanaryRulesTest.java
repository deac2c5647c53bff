// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Canary;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Chained;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is refused of a new version of a function. */
class CanaryRulesTest {
    private static final NetworkFunction FUNCTION = Chained.canary().functions().get("fw");

    @Test
    void oneThatCanBeJudgedIsFine() {
        assertThat(check(FUNCTION)).isEmpty();
    }

    @Test
    void itsInstancesAreOfTheFunctionAndInService() {
        assertThat(check(naming())).containsExactly(
            "function fw: canary / instance: is missing; name the instances that run the new version");
        assertThat(check(naming("fw2", "fw9"))).containsExactly("function fw: canary / instance: there is no instance "
            + "'fw9'; known: fw0, fw1, fw2");
        assertThat(check(naming("fw2", "fw0"))).containsExactly("function fw: canary / instance: fw0 is not in-service,"
            + " so it cannot be evaluated; make it in-service, or remove it from canary in the same change");
        assertThat(check(FUNCTION.spread(new Instance("fw2", State.IN_SERVICE, 1)))).containsExactly("function fw: "
            + "canary / instance: names all instances, so none is left to compare with; leave one out, or delete "
            + "canary in the same change");
    }

    @Test
    void somethingHasToTellHowGoodItIs() {
        assertThat(check(new NetworkFunction("fw", "edge1", FUNCTION.failPolicy(), true, true, FUNCTION.instances(),
            FUNCTION.mode(), Optional.empty(), FUNCTION.canary()))).containsExactly(
            "function fw: canary: needs health-check, whose probes are evaluated");
        assertThat(check(FUNCTION.with(new NetworkFunction.Mirror()))).contains(
            "function fw: canary: a mirror returns no packets to evaluate; remove canary or mirror");
    }

    @Test
    void aFunctionWithoutAListOfInstancesHasNone() {
        assertThat(check(new NetworkFunction("fw", "edge1", FUNCTION.failPolicy(), true).with(FUNCTION.health()
            .orElseThrow()).with(FUNCTION.canary()))).containsExactly(
            "function fw: canary / instance: there is no instance 'fw2'; known: none");
    }

    private static NetworkFunction naming(final String... instances) {
        final Canary canary = Chained.CANARY;
        return FUNCTION.with(Optional.of(new Canary(canary.version(), List.of(instances), canary.sharePercent(),
            canary.seconds(), canary.tolerance(), canary.leastPackets())));
    }

    private static List<String> check(final NetworkFunction function) {
        final Snapshot plain = Chained.spread();
        return Validator.validate(plain.withFunctions(List.of(function, plain.functions().get("tap"))),
            Allocations.none()).stream().map(Violation::toString).toList();
    }
}
