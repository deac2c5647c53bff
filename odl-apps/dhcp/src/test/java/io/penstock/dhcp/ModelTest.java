// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many clients on small pools, in any order, with restarts at any time. Clients believe what they are told, and what
 * they believe is never what another one believes.
 */
@Tag("safety")
class ModelTest {
    private static final int SEEDS = 40;
    private static final int STEPS = 1000;
    private static final int CLIENTS = 25;
    private static final long FIRST_MAC = 0x020000000100L;
    private static final String[] PLACES = {"lan", "wing", "lab", "relay"};

    /** What a client has, until when. */
    private record Belief(Ipv4 address, long until) { }

    private Random random;
    private Network network;
    private Map<Mac, Belief> beliefs;
    private Map<Mac, Ipv4> offers;
    private boolean probing;

    @Test
    void noAddressIsEverTwoClients() {
        int acknowledged = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            random = new Random(seed);
            probing = random.nextBoolean();
            network = new Network().keeping("10.0.1.12", new Mac(FIRST_MAC))
                .keeping("10.0.1.200", new Mac(FIRST_MAC + 1)).excluding("10.0.1.14", "10.0.1.14");
            if (probing) {
                network.probing();
            }
            if (random.nextBoolean()) {
                network.quota(12);
            }
            beliefs = new HashMap<>();
            offers = new HashMap<>();
            for (int step = 0; step < STEPS; step++) {
                step();
                check(seed, step);
            }
            acknowledged += beliefs.size();
        }
        assertThat(acknowledged).as("beliefs left, so that something was tried").isGreaterThan(SEEDS);
    }

    private void step() {
        final int choice = random.nextInt(100);
        if (choice < 4) {
            network.restart();
        } else if (choice < 6) {
            // The leases go through the datastore.
            network.leases = new LeaseTable(network.leases.toList());
            network.restart();
        } else if (choice < 16) {
            network.now += random.nextInt(random.nextInt(4) == 0 ? Network.LEASE : 40);
        } else {
            send(new Mac(FIRST_MAC + random.nextInt(CLIENTS)), choice);
        }
    }

    private void send(final Mac mac, final int choice) {
        final Belief belief = beliefs.get(mac);
        final Ipv4 known = belief == null ? offers.getOrDefault(mac, someAddress()) : belief.address();
        final Ipv4 address = random.nextInt(5) == 0 ? someAddress() : known;
        if (choice < 50) {
            hear(mac, ask(at(new TestMessage(MessageType.DISCOVER, mac).name("h" + random.nextInt(6)))));
        } else if (choice < 75) {
            hear(mac, ask(at(new TestMessage(MessageType.REQUEST, mac).wants(offers.getOrDefault(mac, address))
                .server(random.nextInt(8) == 0 ? "10.0.1.99" : "10.0.1.1").name("h" + random.nextInt(6)))));
        } else if (choice < 81) {
            hear(mac, ask(at(new TestMessage(MessageType.REQUEST, mac).wants(address))));
        } else if (choice < 91) {
            final TestMessage renewal = at(new TestMessage(MessageType.REQUEST, mac).has(address));
            hear(mac, ask(random.nextBoolean() ? renewal.to("10.0.1.1") : renewal));
        } else if (choice < 94) {
            beliefs.remove(mac);
            ask(at(new TestMessage(MessageType.DECLINE, mac).wants(address).server("10.0.1.1")));
        } else if (choice < 98) {
            if (belief != null && belief.address().equals(address)) {
                beliefs.remove(mac);
            }
            ask(at(new TestMessage(MessageType.RELEASE, mac).has(address).server("10.0.1.1").to("10.0.1.1")));
        } else {
            ask(at(new TestMessage(MessageType.INFORM, mac).has(address)));
        }
    }

    private Ipv4 someAddress() {
        return Ipv4.parse(new String[] {"10.0.1.0", "10.0.2.0", "10.9.0.0", "10.0.3.0"}[random.nextInt(4)])
            .plus(random.nextInt(6) == 0 ? random.nextInt(256) : 8 + random.nextInt(14));
    }

    private TestMessage at(final TestMessage message) {
        final String place = PLACES[random.nextInt(PLACES.length)];
        return place.equals("relay") ? message.through("10.9.0.1") : message.from(place);
    }

    private Answer ask(final TestMessage message) {
        Answer answer = network.ask(message);
        while (answer instanceof Answer.Probe probe) {
            assertThat(probing).isTrue();
            if (random.nextInt(6) == 0) {
                return answer;
            }
            if (random.nextInt(6) == 0) {
                network.now += random.nextInt(40);
            }
            if (random.nextInt(6) == 0) {
                network.restart();
            }
            answer = network.server.probed(message.query(), network.scope(), network.leases, probe.address(),
                random.nextInt(4) == 0);
        }
        return answer;
    }

    private void hear(final Mac mac, final Answer answer) {
        if (!(answer instanceof Answer.Reply reply)) {
            return;
        }
        final DhcpMessage message = reply.message();
        assertThat(DhcpMessage.parse(message.bytes())).contains(message);
        final Ipv4 address = message.addresses().yours();
        switch (message.type().orElseThrow()) {
            case OFFER -> offers.put(mac, address);
            case ACK -> {
                beliefs.put(mac, new Belief(address,
                    network.now + message.options().number(OptionCode.LEASE_TIME).orElseThrow()));
                assertThat(network.leases.at(address).orElseThrow().client())
                    .isEqualTo("01%012x".formatted(mac.number()));
            }
            case NAK -> beliefs.remove(mac);
            default -> throw new AssertionError(message);
        }
    }

    private void check(final int seed, final int step) {
        final Map<Ipv4, Mac> owners = new HashMap<>();
        beliefs.values().removeIf(belief -> belief.until() <= network.now);
        beliefs.forEach((mac, belief) -> {
            final Mac other = owners.put(belief.address(), mac);
            if (other != null) {
                throw new AssertionError("seed %d step %d: %s is of two".formatted(seed, step,
                    belief.address()));
            }
        });
        for (final Lease lease : network.leases.toList()) {
            final boolean may = lease.address().equals(Ipv4.parse("10.0.1.200")) && lease.mac().number() == FIRST_MAC
                + 1
                || network.scope().dhcp().subnetOf(lease.address()).orElseThrow().handsOut(lease.address())
                && (!lease.address().equals(Ipv4.parse("10.0.1.12")) || lease.mac().number() == FIRST_MAC);
            if (!may) {
                throw new AssertionError("seed %d step %d: %s".formatted(seed, step, lease));
            }
        }
        final Optional<Integer> quota = network.scope().quota();
        assertThat(network.leases.bound()).isLessThanOrEqualTo(quota.orElse(31));
    }
}
