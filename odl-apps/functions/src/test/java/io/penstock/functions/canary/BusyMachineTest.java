// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.canary;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.functions.canary.Judgement.Phase;
import io.penstock.pipeline.intent.Canary;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the tolerances of the model say of a version on a machine that is busy with other things: it stops all instances
 * now and then, round trips take from one to ten times as long, and packets that have come out are counted a little
 * later than those that went in.
 */
class BusyMachineTest {
    private static final int SEEDS = 50;
    private static final int SECONDS = 60;
    private static final int LIMIT = 200;
    private static final List<String> ALL = List.of("a", "b", "c");
    private static final String NEW = "c";
    /** The tolerances and the least packets that penstock-canary has as defaults. */
    private static final Canary CANARY =
        new Canary("v2", List.of(NEW), 10, SECONDS, new Canary.Tolerance(1, 200, 1), 100);

    /** A run of one version with a machine of its own. */
    private static final class Run {
        private final Random random;
        private final Counters counters = new Counters("a", "b", "c");
        private final CanaryJudge judge = new CanaryJudge(new NetworkFunction("fw", "edge1", FailPolicy.CLOSED, true)
            .spread(ALL.stream().map(name -> new Instance(name, State.IN_SERVICE, 1)).toArray(Instance[]::new))
            .with(Optional.of(CANARY)));
        private final int[] uncounted = new int[ALL.size()];

        Run(final long seed) {
            random = new Random(seed);
        }

        /** Until there is a verdict. */
        Judgement judge(final int dropPercent, final int slower, final int lostPercent) {
            ALL.forEach(name -> counters.probe(name, 1, 0, 1000));
            Judgement now = judge.look(0, counters.readings());
            for (int second = 1; second < LIMIT && !now.isFinal(); second++) {
                final boolean stopped = random.nextInt(20) == 0;
                final long micros = 500L + random.nextInt(4500);
                for (int each = 0; each < ALL.size(); each++) {
                    second(each, stopped, micros, dropPercent, slower, lostPercent);
                }
                now = judge.look(1_000_000_000L * second, counters.readings());
            }
            return now;
        }

        private void second(final int each, final boolean stopped, final long micros, final int dropPercent,
                final int slower, final int lostPercent) {
            final boolean fresh = ALL.get(each).equals(NEW);
            final int packets = fresh ? 80 : 400;
            int out = uncounted[each];
            for (int packet = 0; packet < packets; packet++) {
                out += fresh && random.nextInt(100) < dropPercent ? 0 : 1;
            }
            uncounted[each] = random.nextInt(10);
            counters.pass(ALL.get(each), packets, out - uncounted[each]);
            int lost = 0;
            for (int probe = 0; probe < 10; probe++) {
                // Of a second in which nothing runs, the first probes are too late, of every instance.
                lost += stopped && probe < 2 || fresh && random.nextInt(100) < lostPercent ? 1 : 0;
            }
            final long own = micros + random.nextInt((int) micros);
            counters.probe(ALL.get(each), 10 - lost, lost, fresh ? own * slower : own);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aGoodVersionGoesForward(final int block) {
        for (int seed = 0; seed < SEEDS; seed++) {
            final Judgement now = new Run(seed + (long) block * SEEDS).judge(0, 1, 0);
            assertThat(now.phase()).as("seed %d: %s", seed, now).isEqualTo(Phase.FORWARD);
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 1, 0", "0, 4, 0", "0, 1, 6"})
    void aVersionThatIsWorseIsRolledBack(final int dropPercent, final int slower, final int lostPercent) {
        for (int seed = 0; seed < SEEDS; seed++) {
            final Judgement now = new Run(seed).judge(dropPercent, slower, lostPercent);
            assertThat(now.phase()).as("seed %d: %s", seed, now).isEqualTo(Phase.BACK);
        }
    }
}
