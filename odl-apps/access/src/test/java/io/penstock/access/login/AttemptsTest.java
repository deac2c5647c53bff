// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.login;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("safety")
class AttemptsTest {
    private long now;
    private final Attempts attempts = new Attempts(() -> now);

    private void fail(final int times, final String address, final String name) {
        IntStream.range(0, times).forEach(each -> attempts.failed(address, name));
    }

    @Test
    void anAddressThatFailsWaitsLongerEachTime() {
        fail(Attempts.FREE_OF_ADDRESS, "192.0.2.1", "op");
        assertThat(attempts.delay("192.0.2.1", "op")).isEmpty();
        attempts.failed("192.0.2.1", "op");
        assertThat(attempts.delay("192.0.2.1", "another")).hasValue(Duration.ofSeconds(1));
        now += Duration.ofSeconds(1).toNanos();
        assertThat(attempts.delay("192.0.2.1", "op")).isEmpty();
        attempts.failed("192.0.2.1", "op");
        assertThat(attempts.delay("192.0.2.1", "op")).hasValue(Duration.ofSeconds(2));
        fail(100, "192.0.2.1", "op");
        assertThat(attempts.delay("192.0.2.1", "op")).hasValue(Duration.ofSeconds(60));
        assertThat(attempts.delay("192.0.2.2", "other")).isEmpty();
    }

    @Test
    void guessesFromManyAddressesDelayStrangersAlone() {
        attempts.succeeded("192.0.2.1", "op");
        IntStream.range(0, 1000).forEach(each -> attempts.failed("198.51.100." + each % 200, "op"));
        assertThat(attempts.delay("203.0.113.1", "op")).hasValue(Duration.ofSeconds(10));
        assertThat(attempts.delay("203.0.113.1", "other")).isEmpty();
        assertThat(attempts.delay("192.0.2.1", "op")).isEmpty();
    }

    @Test
    void aSuccessForgetsTheFailuresOfItsAddress() {
        fail(Attempts.FREE_OF_ADDRESS + 1, "192.0.2.1", "op");
        attempts.succeeded("192.0.2.1", "op");
        assertThat(attempts.delay("192.0.2.1", "op")).isEmpty();
    }

    @Test
    void anIpv6SiteIsOneAddress() {
        IntStream.rangeClosed(0, Attempts.FREE_OF_ADDRESS).forEach(each ->
            attempts.failed("2001:db8:0:1::" + each, "name" + each));
        assertThat(attempts.delay("2001:db8:0:1:ffff::1", "op")).isPresent();
        assertThat(attempts.delay("2001:db8:0:2::1", "op")).isEmpty();
    }

    @Test
    void memoryIsBounded() {
        fail(Attempts.FREE_OF_ADDRESS + 1, "192.0.2.1", "op");
        IntStream.range(0, 200_000).forEach(each -> attempts.failed("10." + each / 65_536 + "." + each / 256 % 256 + "."
            + each % 256, "n" + each));
        assertThat(attempts.kept()).isLessThanOrEqualTo(20_000);
    }
}
