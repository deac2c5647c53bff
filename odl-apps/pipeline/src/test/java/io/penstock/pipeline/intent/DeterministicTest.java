// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Tenant.Deterministic;
import io.penstock.pipeline.net.AddressPorts;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who has which ports, both ways. */
@Tag("safety")
class DeterministicTest {
    @Test
    void theExampleOfTheModelHolds() {
        final Deterministic mapping =
            new Deterministic(Prefix.parse("10.0.0.0/24"), Prefix.parse("198.51.100.0/30"));
        assertThat(mapping.blockSize()).isEqualTo(512);
        assertThat(mapping.blockOf(Ipv4.parse("10.0.0.0"))).isEqualTo(block("198.51.100.0", 32768, 33279));
        assertThat(mapping.blockOf(Ipv4.parse("10.0.0.63"))).isEqualTo(block("198.51.100.0", 65024, 65535));
        assertThat(mapping.blockOf(Ipv4.parse("10.0.0.64"))).isEqualTo(block("198.51.100.1", 32768, 33279));
        assertThat(mapping.subscriberAt(Ipv4.parse("198.51.100.1"), 33279)).contains(Ipv4.parse("10.0.0.64"));
        assertThat(mapping.subscriberAt(Ipv4.parse("198.51.100.1"), 33280)).contains(Ipv4.parse("10.0.0.65"));
        assertThat(mapping.subscriberAt(Ipv4.parse("198.51.100.1"), 32767)).isEmpty();
        assertThat(mapping.subscriberAt(Ipv4.parse("198.51.100.4"), 40000)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.7/32, 198.51.100.9/32", "10.0.0.0/29, 198.51.100.8/29", "10.0.0.0/28, 198.51.100.2/31",
        "10.0.0.0/23, 198.51.100.9/32", "10.0.0.0/20, 198.51.100.0/24"})
    void everySubscriberHasPortsOfItsOwn(final String inside, final String outside) {
        final Deterministic mapping = new Deterministic(Prefix.parse(inside), Prefix.parse(outside));
        final Set<AddressPorts> given = new HashSet<>();
        for (long index = 0; index < mapping.inside().size(); index++) {
            final Ipv4 subscriber = mapping.inside().address().plus(index);
            final AddressPorts block = mapping.blockOf(subscriber);
            final PortRange ports = block.ports();
            assertThat(given.add(block)).isTrue();
            assertThat(mapping.outside().contains(block.address())).isTrue();
            assertThat(ports.high() - ports.low() + 1).isEqualTo(mapping.blockSize());
            assertThat(ports.low() % mapping.blockSize()).isZero();
            assertThat(mapping.subscriberAt(block.address(), ports.low())).contains(subscriber);
            assertThat(mapping.subscriberAt(block.address(), ports.high())).contains(subscriber);
        }
    }

    private static AddressPorts block(final String address, final int low, final int high) {
        return new AddressPorts(Ipv4.parse(address), new PortRange(low, high));
    }
}
