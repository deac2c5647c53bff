// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Who is killed when: a function of the seed and the number of kills. */
final class CrashSchedule {
    /** What the controller is called. */
    static final String CONTROLLER = "controller";
    static final String KILL = "KILL";

    private static final int KILLS_A_ROUND = 12;
    private static final int KILLS_A_CONTROLLER = 100;
    private static final int MOST_AT_ONCE = 3;
    private static final int LONGEST_PAUSE_MILLIS = 400;
    private static final int STOPPED_OF = 12;
    /** A request takes some tens of milliseconds. */
    private static final int ANSWER_MILLIS = 80;

    private final Random random;
    private final int kills;

    /** Who gets which signal, how long after the request of a change has begun. */
    record Strike(List<String> victims, String signal, Duration after) {
        @Override
        public String toString() {
            return "%s %s %d ms after its begin".formatted(signal, String.join(" + ", victims), after.toMillis());
        }
    }

    /** Changes with strikes, after which all is looked at. carriers: whether those that carry packets are killed. */
    record Round(boolean carriers, List<Strike> strikes) { }

    CrashSchedule(final long seed, final int kills) {
        random = new Random(seed);
        this.kills = kills;
    }

    /** The rounds; that with the controller in it ends with its kill, and strikes while it is away. */
    List<Round> rounds() {
        final List<Round> rounds = new ArrayList<>();
        int done = 0;
        int controllers = 0;
        while (done < kills) {
            final boolean carriers = rounds.size() % 2 == 1;
            final List<Strike> strikes = new ArrayList<>();
            int here = 0;
            final boolean controller = done >= (controllers + 0.5) * KILLS_A_CONTROLLER;
            final int when = controller ? random.nextInt(KILLS_A_ROUND / 2) : -1;
            while (here < KILLS_A_ROUND) {
                if (controller && here >= when && strikes.stream().noneMatch(each -> each.victims()
                        .contains(CONTROLLER))) {
                    strikes.add(new Strike(List.of(CONTROLLER), KILL,
                        Duration.ofMillis(random.nextInt(ANSWER_MILLIS))));
                    controllers++;
                    here++;
                    continue;
                }
                final Strike strike = strike(carriers);
                strikes.add(strike);
                here += strike.victims().size();
            }
            done += here;
            rounds.add(new Round(carriers, strikes));
        }
        return rounds;
    }

    private Strike strike(final boolean carriers) {
        final List<String> names = new ArrayList<>(CrashVictims.bystanders());
        if (carriers) {
            for (int times = 0; times < 3; times++) {
                names.addAll(CrashVictims.CARRIERS);
            }
        }
        if (random.nextInt(STOPPED_OF) == 0) {
            return new Strike(List.of(names.get(random.nextInt(names.size()))), "STOP", pause());
        }
        final List<String> victims = new ArrayList<>();
        for (int count = 1 + random.nextInt(MOST_AT_ONCE); count > 0; count--) {
            final String victim = names.get(random.nextInt(names.size()));
            if (!victims.contains(victim)) {
                victims.add(victim);
            }
        }
        return new Strike(victims, KILL, pause());
    }

    private Duration pause() {
        return Duration.ofMillis(random.nextInt(LONGEST_PAUSE_MILLIS));
    }
}
