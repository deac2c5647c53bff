// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
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
        final int first = random.nextInt(64);
        return new Range(PREFIX.address().plus(first), PREFIX.address().plus(Math.min(63, first + random.nextInt(20))));
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
                reservations.add(new Dhcp.Reservation(PREFIX.address().plus(random.nextInt(64)),
                    Optional.of(new Mac(1 + index)), Optional.empty(), Optional.empty(), Optional.empty()));
            }
            final Dhcp.Subnet config = new Dhcp.Subnet(PREFIX, pools, exclusions, reservations, 60, Dhcp.Options.NONE);
            final Ipv4 gateway = PREFIX.address().plus(1 + random.nextInt(62));
            final ServedSubnet subnet =
                new ServedSubnet(config, Optional.of(new Tenant.Subnet("s", PREFIX, gateway, List.of())));
            final List<Ipv4> ranges = new ArrayList<>();
            subnet.openRanges().forEach(range -> {
                for (long index = 0; index < range.size(); index++) {
                    ranges.add(range.first().plus(index));
                }
            });
            assertThat(ranges).isSorted().doesNotHaveDuplicates();
            final Set<Ipv4> kept =
                config.reservations().stream().map(Dhcp.Reservation::address).collect(Collectors.toSet());
            for (int index = -1; index <= PREFIX.size(); index++) {
                final Ipv4 address = PREFIX.address().plus(index);
                final boolean open = config.handsOut(address) && !kept.contains(address)
                    && !address.equals(gateway) && index > 0 && index < PREFIX.size() - 1;
                assertThat(subnet.isOpen(address)).isEqualTo(open).isEqualTo(ranges.contains(address));
            }
        }
    }

    @Test
    void rfc3021LinksOfTwoHostsHaveNoBroadcastAddress() {
        final Prefix prefix = Prefix.parse("10.0.0.0/31");
        final ServedSubnet subnet = new ServedSubnet(new Dhcp.Subnet(prefix,
            List.of(new Range(prefix.address(), prefix.last())), List.of(), List.of(), 60, Dhcp.Options.NONE),
            Optional.of(new Tenant.Subnet("s", prefix, prefix.address(), List.of())));
        assertThat(subnet.isOpen(prefix.address())).isFalse();
        assertThat(subnet.isOpen(prefix.last())).isTrue();
    }
}
