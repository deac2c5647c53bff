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
import org.junit.jupiter.api.Test;

/** A new version with two instances beside two old ones; a third old one has no connections. */
class CanaryJudgeTest {
    private static final int SECONDS = 30;
    private static final List<String> OLD = List.of("a", "b");
    private static final List<String> NEW = List.of("c", "d");
    private static final NetworkFunction FUNCTION = new NetworkFunction("fw", "edge1", FailPolicy.CLOSED, true)
        .spread(instance("a", State.IN_SERVICE), instance("b", State.DRAINING), instance("c", State.IN_SERVICE),
            instance("d", State.IN_SERVICE), instance("e", State.OUT_OF_SERVICE))
        .with(Optional.of(new Canary("v2", NEW, 10, SECONDS, new Canary.Tolerance(1, 200, 1), 100)));

    private final Counters counters = new Counters("a", "b", "c", "d", "e");
    private final CanaryJudge judge = new CanaryJudge(FUNCTION);
    private int second;

    private static Instance instance(final String name, final State state) {
        return new Instance(name, state, 1);
    }

    private Judgement look() {
        return judge.look(1_000_000_000L * second, counters.readings());
    }

    /** A second of probes and packets for all, of which the new ones drop some and lose some. */
    private Judgement pass(final int drops, final int lost, final long newMicros) {
        second++;
        OLD.forEach(name -> counters.pass(name, 100, 100).probe(name, 10, 0, 1000));
        NEW.forEach(name -> counters.pass(name, 10, 10 - drops).probe(name, 10 - lost, lost, newMicros));
        return look();
    }

    private Judgement begin() {
        OLD.forEach(name -> counters.pass(name, 999, 500).probe(name, 50, 50, 9000));
        NEW.forEach(name -> counters.pass(name, 9, 0).probe(name, 5, 5, 90_000));
        return look();
    }

    @Test
    void oneThatIsNoWorseGoesForwardAtTheEndOfItsTime() {
        assertThat(begin().phase()).isEqualTo(Phase.JUDGING);
        for (int passed = 1; passed < SECONDS; passed++) {
            final Judgement now = pass(0, 0, 1900);
            assertThat(now.phase()).isEqualTo(Phase.JUDGING);
            assertThat(now.secondsLeft()).isEqualTo(SECONDS - passed);
        }
        final Judgement last = pass(0, 0, 1900);
        assertThat(last.phase()).isEqualTo(Phase.FORWARD);
        assertThat(last.measuredSeconds()).isEqualTo(SECONDS);
        assertThat(last.reason()).isEqualTo("no worse than the others for 30 s");
        // What was counted before it began is no evidence.
        assertThat(last.canary().instances()).isEqualTo(NEW);
        assertThat(last.canary().packetsIn()).isEqualTo(600);
        assertThat(last.canary().packetsOut()).isEqualTo(600);
        assertThat(last.canary().probes().sent()).isEqualTo(600);
        assertThat(last.canary().probes().lost()).isZero();
        assertThat(last.canary().probes().medianMicros()).isBetween(1830L, 1980L);
        assertThat(last.old().instances()).isEqualTo(OLD);
        assertThat(last.old().packetsIn()).isEqualTo(6000);
        assertThat(last.old().probes().highMicros()).isBetween(960L, 1040L);
    }

    @Test
    void itBeginsWhenAllNewOnesAndAnOldOneAnswer() {
        assertThat(look().phase()).isEqualTo(Phase.WAITING);
        counters.probe("c", 1, 0, 1000).probe("a", 1, 0, 1000);
        assertThat(look().reason()).isEqualTo("d does not answer probes");
        counters.probe("d", 1, 0, 1000).sick("d");
        assertThat(look().phase()).isEqualTo(Phase.WAITING);
        counters.well("d").sick("a");
        assertThat(look().reason()).isEqualTo("no instance of the old version answers probes");
        counters.well("a");
        assertThat(look().phase()).isEqualTo(Phase.JUDGING);
    }

    @Test
    void oneThatFailsIsJudgedBackAtOnce() {
        begin();
        pass(0, 0, 1000);
        counters.sick("d");
        assertThat(pass(0, 0, 1000).phase()).isEqualTo(Phase.BACK);
        assertThat(look().reason()).isEqualTo("d failed its health check");
    }

    @Test
    void oneThatFailedBetweenTwoLooksIsJudgedBackToo() {
        begin();
        counters.sick("c").well("c");
        assertThat(pass(0, 0, 1000).reason()).isEqualTo("c failed its health check");
    }

    @Test
    void oneOfTheOthersThatFailsIsNoReason() {
        begin();
        counters.sick("a").sick("b");
        assertThat(pass(0, 0, 1000).phase()).isEqualTo(Phase.JUDGING);
    }

    @Test
    void oneThatLosesProbesIsJudgedBackAfterAWhile() {
        isJudgedBack(0, 1, 1000, "loses 10.0 % of its probes, the others 0.0 %; tolerance is 1 % more");
    }

    @Test
    void oneThatIsSlowIsJudgedBackAfterAWhile() {
        isJudgedBack(0, 0, 2500, "median round trip is 2.5 ms, of the others 1.0 ms; tolerance is 200 % "
            + "of that");
    }

    @Test
    void oneThatDropsPacketsIsJudgedBackAfterAWhile() {
        isJudgedBack(3, 0, 1000, "drops 30.0 % of its packets, the others 0.0 %; tolerance is 1 % more");
    }

    private void isJudgedBack(final int drops, final int lost, final long micros, final String reason) {
        begin();
        Judgement now = pass(drops, lost, micros);
        while (now.phase() == Phase.JUDGING && second < SECONDS) {
            now = pass(drops, lost, micros);
        }
        assertThat(now.phase()).isEqualTo(Phase.BACK);
        assertThat(now.reason()).isEqualTo(reason);
        assertThat(now.measuredSeconds()).isBetween(CanaryJudge.PATIENCE_SECONDS, SECONDS - 10);
    }

    @Test
    void aFewPacketsThatWereNotCountedDoNoHarm() {
        begin();
        Judgement now = pass(CanaryJudge.FEW_PACKETS / NEW.size(), 0, 1000);
        while (now.phase() == Phase.JUDGING && second < 2 * SECONDS) {
            now = pass(0, 0, 1000);
        }
        assertThat(now.phase()).as(now.reason()).isEqualTo(Phase.FORWARD);
    }

    @Test
    void oneThatIsWorseForAMomentMayGoForward() {
        begin();
        for (int passed = 0; passed < CanaryJudge.PATIENCE_SECONDS - 2; passed++) {
            assertThat(pass(0, 1, 1000).phase()).isEqualTo(Phase.JUDGING);
        }
        while (second < SECONDS - 1) {
            NEW.forEach(name -> counters.probe(name, 990, 0, 1000));
            assertThat(pass(0, 0, 1000).phase()).isEqualTo(Phase.JUDGING);
        }
        assertThat(pass(0, 0, 1000).phase()).isEqualTo(Phase.FORWARD);
    }

    @Test
    void oneThatIsWorseAtTheEndIsJudgedOn() {
        begin();
        while (second < SECONDS - 1) {
            pass(0, 0, 1000);
        }
        while (second < SECONDS - 1 + CanaryJudge.PATIENCE_SECONDS) {
            assertThat(pass(9, 0, 1000).phase()).isEqualTo(Phase.JUDGING);
        }
        assertThat(pass(9, 0, 1000).phase()).isEqualTo(Phase.BACK);
    }

    @Test
    void asBadAsTheOthersIsGoodEnough() {
        begin();
        Judgement now = look();
        while (now.phase() == Phase.JUDGING && second < SECONDS) {
            second++;
            OLD.forEach(name -> counters.pass(name, 100, 50).probe(name, 9, 1, 5000));
            NEW.forEach(name -> counters.pass(name, 10, 5).probe(name, 9, 1, 5000));
            now = look();
        }
        assertThat(now.phase()).isEqualTo(Phase.FORWARD);
        assertThat(now.canary().droppedPercent()).isEqualTo(50);
        assertThat(now.canary().probes().lossPercent()).isEqualTo(10);
    }

    @Test
    void withoutEnoughPacketsItIsJudgedOn() {
        begin();
        for (int passed = 0; passed < 2 * SECONDS; passed++) {
            second++;
            OLD.forEach(name -> counters.pass(name, 100, 100).probe(name, 10, 0, 1000));
            NEW.forEach(name -> counters.probe(name, 10, 0, 1000));
            // All that it got was dropped, which is too little to tell.
            counters.pass("c", 1, 0);
            look();
        }
        assertThat(look().phase()).isEqualTo(Phase.JUDGING);
        assertThat(look().reason()).isEqualTo("until 100 packets have entered the new version");
        assertThat(look().secondsLeft()).isZero();
        counters.pass("c", 10_000, 10_000);
        assertThat(look().phase()).isEqualTo(Phase.FORWARD);
    }

    @Test
    void countersThatBeginAnewAreCountedOn() {
        begin();
        pass(0, 0, 1000);
        counters.reset("c");
        final Judgement after = pass(0, 0, 1000);
        assertThat(after.canary().packetsIn()).isEqualTo(40);
        assertThat(after.canary().probes().sent()).isEqualTo(40);
    }

    @Test
    void whatNobodySawIsNoTimeOfMeasuring() {
        begin();
        pass(0, 0, 1000);
        second += 2 * SECONDS;
        final Judgement after = pass(0, 0, 1000);
        assertThat(after.phase()).isEqualTo(Phase.JUDGING);
        assertThat(after.measuredSeconds()).isEqualTo(6);
    }
}
