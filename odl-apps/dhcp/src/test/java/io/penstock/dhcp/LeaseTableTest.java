// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("safety")
class LeaseTableTest {
    private static final int ROUNDS = 20_000;

    @Test
    void runsFindTheNextAbsentLikeASetOfBits() {
        final Random random = new Random(2131);
        final AddressRuns runs = new AddressRuns();
        final BitSet bits = new BitSet();
        for (int round = 0; round < ROUNDS; round++) {
            final int address = random.nextInt(64);
            if (random.nextBoolean()) {
                runs.add(address);
                bits.set(address);
            } else {
                runs.remove(address);
                bits.clear(address);
            }
            final int from = random.nextInt(66);
            assertThat(runs.nextAbsent(from)).isEqualTo(bits.nextClearBit(from));
            assertThat(runs.contains(from)).isEqualTo(bits.get(from));
        }
    }

    @Test
    void ofManyThatHadAnAddressTheLastAreRemembered() {
        final LeaseTable table = new LeaseTable(List.of());
        for (int address = 0; address < 5000; address++) {
            table.put(new Lease(new Ipv4(address), Lease.State.BOUND, "c" + address, new Mac(1), "", "", 10 + address));
        }
        table.expire(10_000);
        assertThat(table.toList()).hasSize(4096).allMatch(lease -> lease.state() == Lease.State.FREE);
        assertThat(table.at(new Ipv4(0))).isEmpty();
        assertThat(table.at(new Ipv4(4999))).isPresent();
    }

    @Test
    void everyIndexIsThatOfAPlainMap() {
        final Random random = new Random(2132);
        LeaseTable table = new LeaseTable(List.of());
        final TreeMap<Ipv4, Lease> plain = new TreeMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            final Ipv4 address = new Ipv4(random.nextInt(24));
            switch (random.nextInt(8)) {
                case 0 -> {
                    table.remove(address);
                    plain.remove(address);
                }
                case 1 -> {
                    table.expire(round / 10);
                    expire(plain, round / 10);
                }
                case 2 -> table = new LeaseTable(table.toList());
                default -> {
                    final Lease lease = new Lease(address, Lease.State.values()[random.nextInt(3)],
                        "c" + random.nextInt(5), new Mac(1), "", "n" + random.nextInt(4), round / 10
                        + random.nextInt(9));
                    table.put(lease);
                    plain.put(address, lease);
                }
            }
            compare(table, plain, random);
        }
    }

    private static void expire(final Map<Ipv4, Lease> plain, final long now) {
        plain.values().removeIf(lease -> lease.state() == Lease.State.DECLINED && lease.expires() <= now);
        plain.replaceAll((address, lease) -> lease.isBound() && lease.expires() <= now
            ? lease.with(Lease.State.FREE, lease.expires()) : lease);
    }

    private static void compare(final LeaseTable table, final Map<Ipv4, Lease> plain, final Random random) {
        assertThat(table.toList()).isEqualTo(List.copyOf(plain.values()));
        assertThat(table.bound()).isEqualTo((int) plain.values().stream().filter(Lease::isBound).count());
        final String client = "c" + random.nextInt(5);
        assertThat(table.of(client)).isEqualTo(
            plain.values().stream().filter(lease -> lease.client().equals(client)).toList());
        final String name = "n" + random.nextInt(4);
        assertThat(table.clientOfName(name)).isEqualTo(plain.values().stream()
            .filter(lease -> lease.isBound() && lease.hostName().equals(name)).findFirst().map(Lease::client));
        final List<Lease> free = new ArrayList<>();
        table.oldestFree().forEach(free::add);
        assertThat(free).isEqualTo(plain.values().stream().filter(lease -> lease.state() == Lease.State.FREE)
            .sorted(Comparator.comparingLong(Lease::expires).thenComparing(Lease::address)).toList());
        long unused = 3;
        while (plain.containsKey(new Ipv4(unused))) {
            unused++;
        }
        assertThat(table.nextUnused(3)).isEqualTo(unused);
    }

    @Test
    void onlyWhatIsOtherIsAChange() {
        final Lease lease = new Lease(new Ipv4(1), Lease.State.BOUND, "c", new Mac(1), "lan", "", 50);
        final LeaseTable table = new LeaseTable(List.of(lease));
        table.put(lease);
        table.remove(new Ipv4(2));
        table.expire(49);
        assertThat(table.changed()).isFalse();
        table.expire(50);
        assertThat(table.changed()).isTrue();
    }
}
