// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.membership.Leadership;
import io.penstock.membership.Members;
import io.penstock.testkit.ManualClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class WallClocksTest {
    private static final Instant TIME = Instant.parse("2026-11-27T12:00:00Z");

    private final ManualClock clock = new ManualClock(TIME);
    private final Map<String, String> told = new TreeMap<>(Map.of("member-2", TIME.toString()));
    /** That each answer takes. */
    private int seconds;
    private final WallClocks clocks = new WallClocks(new Members() {
        @Override
        public List<String> others() {
            return List.of("member-2", "member-3");
        }

        @Override
        public Leadership.Registration serve(final String topic, final Answers answers) {
            return () -> { };
        }

        @Override
        public byte[] ask(final String member, final String topic, final String question, final Duration limit)
                throws IOException {
            clock.pass(seconds);
            if (!told.containsKey(member)) {
                throw new IOException(member + " does not answer");
            }
            return told.get(member).getBytes(StandardCharsets.UTF_8);
        }
    }, clock);

    private String reason() {
        clocks.look();
        return clocks.reason().orElse("");
    }

    @Test
    void clocksThatAreApartAreTold() {
        assertThat(reason()).isEmpty();
        told.put("member-2", TIME.plusSeconds(3600).toString());
        told.put("member-3", TIME.minusSeconds(3).toString());
        assertThat(reason()).isEqualTo("the clock of member-2 is 3600 s ahead of the clock here; the clock of member-3 "
            + "is 3 s behind the clock here: have NTP set the clocks of all members");
        told.put("member-2", TIME.plusSeconds(1).toString());
        told.put("member-3", "now");
        assertThat(reason()).isEmpty();
    }

    @Test
    void theTimeOfTheQuestionIsNoDifference() {
        seconds = 30;
        told.put("member-2", TIME.plusSeconds(10).toString());
        told.put("member-3", TIME.plusSeconds(31).toString());
        assertThat(reason()).isEmpty();
    }
}
