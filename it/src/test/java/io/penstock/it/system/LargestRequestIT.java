// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.it.system.RestconfClient.Answer;
import io.penstock.requests.LargestRequests;
import io.penstock.requests.LargestRequests.Kind;
import io.penstock.requests.LargestRequests.Request;
import io.penstock.requests.LargestRequests.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;

/**
 * Large and odd requests for the lists of the model, while another tenant is changed and its host gets leases: these
 * wait for nothing, what is refused is stored in no part, and the controller goes on.
 *
 * <p>A run takes some lists at the largest size and all of them at a smaller one, in one kind each: which ones, chance
 * decides. {@code -Dlargest.all} sends all kinds at the largest size, {@code -Dlargest.seed=7} repeats a choice.
 */
@Tag("safety")
@Tag("deep")
@Tag("fuzz")
@Tag("hostile")
@OnSystem
class LargestRequestIT {
    private static final boolean ALL = Boolean.getBoolean("largest.all");
    private static final long SEED = Long.getLong("largest.seed", System.nanoTime());
    private static final int VLAN = 100;
    private static final int MANY = 100_000;
    private static final int SOME = 4100;
    private static final int LARGEST = 3;
    private static final Duration LONGEST_CHANGE = Duration.ofSeconds(2);
    /** A host asks again after two seconds, for an offer and for what was offered. */
    private static final Duration LONGEST_LEASE = Duration.ofSeconds(6);
    private static final String DHCP = "'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', "
        + "'pool': [{'first': '10.0.0.100', 'last': '10.0.0.199'}]}]}";

    private final EdgeSystem system;
    private final EdgeNode node;
    private final AtomicBoolean ending = new AtomicBoolean();
    private final AtomicLong slowestChange = new AtomicLong();
    private final AtomicLong slowestLease = new AtomicLong();
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicInteger leases = new AtomicInteger();

    LargestRequestIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void reset() {
        system.reset();
    }

    @AfterEach
    void stop() {
        ending.set(true);
        system.reset();
    }

    @Test
    void othersGoOn() {
        Figures.tell("largest requests, seed", Long.toString(SEED));
        put(0);
        system.awaitApplied();
        final DhcpClient client = new DhcpClient(node.network().host(EdgeNode.ACCESS, VLAN));
        client.udhcpc();
        final JsonObject before = system.storedWithout("other");
        final CompletableFuture<Void> neighbour = CompletableFuture.runAsync(this::change);
        final CompletableFuture<Void> host = CompletableFuture.runAsync(() -> lease(client));
        final List<String> wrong = new ArrayList<>();
        for (final Request request : requests()) {
            final Answer answer = system.restconf().data("PATCH", request.path(), request.document());
            final boolean isNamed = answer.isRefusal() && answer.messages().contains(": ");
            if (!isNamed && !answer.isGood()) {
                wrong.add(request + ": " + answer);
            }
            if (answer.isGood()) {
                restore(before);
            }
            assertThat(neighbour).as("%s", request).isNotDone();
            assertThat(host).as("%s", request).isNotDone();
        }
        ending.set(true);
        neighbour.join();
        host.join();
        assertThat(wrong).isEmpty();
        assertThat(system.storedWithout("other")).isEqualTo(before);
        system.awaitSync();
        Figures.tell("changes beside the largest requests", changes + ", slowest " + slowestChange + " ms; leases "
            + leases + ", slowest " + slowestLease + " ms");
        assertThat(Duration.ofMillis(slowestChange.get())).isLessThan(LONGEST_CHANGE);
        assertThat(Duration.ofMillis(slowestLease.get())).isLessThan(LONGEST_LEASE);
        assertThat(changes.get()).isGreaterThan(LARGEST);
        assertThat(leases.get()).isPositive();
        assertThat(system.controller().log()).doesNotContain("OutOfMemoryError");
    }

    private List<Request> requests() {
        final LargestRequests all = new LargestRequests(
            BindingRuntimeHelpers.createRuntimeContext().getEffectiveModelContext(), node.name());
        final Random random = new Random(SEED);
        final Kind[] kinds = Kind.values();
        final List<Target> targets = new ArrayList<>(all.targets());
        Collections.shuffle(targets, random);
        final List<Request> requests = new ArrayList<>();
        for (final Target target : targets) {
            if (ALL) {
                for (final Kind kind : kinds) {
                    requests.add(all.request(target, kind, MANY));
                }
            } else {
                requests.add(all.request(target, kinds[random.nextInt(kinds.length)],
                    requests.size() < LARGEST ? MANY : SOME));
            }
        }
        return requests;
    }

    /** Takes away what was good, however large. */
    private void restore(final JsonObject before) {
        final JsonObject network = before.getAsJsonObject("network").deepCopy();
        // The other client's tenant stays: without it its host would have no service.
        network.add("tenant", JsonParser.parseString("[" + other(0) + "]"));
        boolean isGood = false;
        while (!isGood) {
            // The other client may have changed its tenant meanwhile.
            isGood = system.restconf().data("PUT", Intent.NETWORK, "{'penstock:network': " + network + "}").isGood();
        }
        system.restconf().put(Intent.ACLS, before.getAsJsonObject("acls").toString());
    }

    private void put(final int number) {
        Answer answer;
        long begun;
        do {
            begun = System.nanoTime();
            answer = system.restconf().data("PUT", Intent.path("other"), Intent.tenants(List.of(other(number))));
            // Another client may have replaced the network meanwhile, as this test does.
        } while (answer.status() == 409 && answer.body().contains("in-use"));
        slowestChange.accumulateAndGet(Duration.ofNanos(System.nanoTime() - begun).toMillis(), Math::max);
        assertThat(answer.isGood()).as("%s", answer).isTrue();
    }

    private String other(final int number) {
        return Intent.tenant("other", node, VLAN, Intent.FIRST_POOL,
            DHCP + ", 'quota': {'bandwidth-out': " + (1_000_000 + number) + "}");
    }

    private void change() {
        for (int number = 0; !ending.get(); number++) {
            put(number);
            changes.incrementAndGet();
        }
    }

    private void lease(final DhcpClient client) {
        while (!ending.get()) {
            final long begun = System.nanoTime();
            client.udhcpc();
            slowestLease.accumulateAndGet(Duration.ofNanos(System.nanoTime() - begun).toMillis(), Math::max);
            leases.incrementAndGet();
        }
    }
}
