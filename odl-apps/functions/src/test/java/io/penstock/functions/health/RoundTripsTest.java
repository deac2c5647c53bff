// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.LongStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class RoundTripsTest {
    @Test
    void whatIsToldOfOneIsWithinFourPercent() {
        for (long micros = 1; micros < 1_000_000; micros += 1 + micros / 50) {
            assertThat(of(micros).percentile(50)).as("%d", micros)
                .isCloseTo(micros, Percentage.withPercentage(4));
        }
        assertThat(of(0).percentile(50)).isZero();
        assertThat(of(Long.MAX_VALUE).percentile(50)).isGreaterThan(1_000_000);
    }

    @Test
    void percentilesAreThoseOfAll() {
        final RoundTrips hundred = of(LongStream.rangeClosed(1, 100).map(each -> each * 1000).toArray());
        assertThat(hundred.count()).isEqualTo(100);
        assertThat(hundred.percentile(50)).isCloseTo(50_000, within(2000L));
        assertThat(hundred.percentile(99)).isCloseTo(99_000, within(4000L));
        assertThat(hundred.percentile(100)).isCloseTo(100_000, within(4000L));
        assertThat(RoundTrips.NONE.percentile(50)).isZero();
    }

    @Test
    void whatCameAfterIsTheRest() {
        final RoundTrips before = of(100, 200);
        final RoundTrips all = before.plus(of(5000, 5000, 5000));
        assertThat(all.count()).isEqualTo(5);
        assertThat(all.minus(before).count()).isEqualTo(3);
        assertThat(all.minus(before).percentile(1)).isCloseTo(5000, within(200L));
    }

    private static RoundTrips of(final long... micros) {
        return LongStream.of(micros).mapToObj(each -> RoundTrips.of(1, each))
            .reduce(RoundTrips.NONE, RoundTrips::plus);
    }
}
