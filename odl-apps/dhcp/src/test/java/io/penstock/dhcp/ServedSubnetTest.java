// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ServedSubnetTest {
    private static final Prefix PREFIX = Prefix.parse("10.0.0.0/26");

    private static Range random(final Random random) {
        final long first = PREFIX.address() + random.nextInt(64);
        return new Range(first, Math.min(PREFIX.end() - 1, first + random.nextInt(20)));
    }

    @Test
    void whatIsOpenIsInAPoolAndNothingElse() {
        final Random random = new Random(1918);
        for (int round = 0; round < 2000; round++) {
            final List<Range> pools = new ArrayList<>();
            final List<Range> exclusions = new ArrayList<>();
            final List<Dhcp.Reservation> reservations = new ArrayList<>();
            for (int index = random.nextInt(4); index > 0; index--) {
                pools.add(random(random));
                exclusions.add(random(random));
                reservations.add(new Dhcp.Reservation(PREFIX.address() + random.nextInt(64),
                    Optional.of(new Mac(1 + index)),
                    Optional.empty(), Optional.empty(), Optional.empty()));
            }
            final Dhcp.Subnet config = new Dhcp.Subnet(PREFIX, pools, exclusions, reservations, 60, Dhcp.Options.NONE);
            final long gateway = PREFIX.address() + 1 + random.nextInt(62);
            final ServedSubnet subnet =
                new ServedSubnet(config, Optional.of(new Tenant.Subnet("s", PREFIX, gateway, List.of())));
            final List<Long> ranges = new ArrayList<>();
            subnet.openRanges().forEach(range -> {
                for (long address = range.first(); address <= range.last(); address++) {
                    ranges.add(address);
                }
            });
            assertThat(ranges).isSorted().doesNotHaveDuplicates();
            final Set<Long> kept =
                config.reservations().stream().map(Dhcp.Reservation::address).collect(Collectors.toSet());
            for (long address = PREFIX.address() - 1; address <= PREFIX.end(); address++) {
                final boolean open = config.handsOut(address) && !kept.contains(address)
                    && address != gateway && address != PREFIX.address() && address != PREFIX.end() - 1;
                assertThat(subnet.isOpen(address)).isEqualTo(open).isEqualTo(ranges.contains(address));
            }
        }
    }

    @Test
    void rfc3021LinksOfTwoHostsHaveNoBroadcastAddress() {
        final Prefix prefix = Prefix.parse("10.0.0.0/31");
        final ServedSubnet subnet = new ServedSubnet(new Dhcp.Subnet(prefix,
            List.of(new Range(prefix.address(), prefix.end() - 1)), List.of(), List.of(), 60, Dhcp.Options.NONE),
            Optional.of(new Tenant.Subnet("s", prefix, prefix.address(), List.of())));
        assertThat(subnet.isOpen(prefix.address())).isFalse();
        assertThat(subnet.isOpen(prefix.address() + 1)).isTrue();
    }
}
