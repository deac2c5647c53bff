// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.it.system.BadRequests.Request;
import io.penstock.it.system.RestconfClient.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;

/**
 * Bad requests, made from the models, while another client changes its tenant: each is refused in words and never with
 * 5xx, and nothing of it is stored. Some of them are always the same. Of all, other ones in each run, none makes a
 * change of the other client wait for longer than a second more than those before. A change waits for the disk too, on
 * which other tests write: so requests beside which one was that slow are sent again, and only those beside which it is
 * slow again are at fault. {@code -Dfuzz.seed=7} repeats a choice.
 */
@Tag("safety")
@Tag("hostile")
@OnSystem
class RequestFuzzIT {
    private static final long FIXED_SEED = 8040;
    private static final long SEED = Long.getLong("fuzz.seed", System.nanoTime());
    private static final int VLAN = 100;
    private static final int LEAST = 1000;
    private static final int SOME = 300;
    /** Requests after which what is stored is compared. */
    private static final int INTERVAL = 50;
    private static final int CALM_CHANGES = 40;
    private static final Duration LONGEST = Duration.ofSeconds(1);
    /** Times that requests are sent again which may have delayed a change. */
    private static final int REPETITIONS = 3;
    /** Beyond it a request has hung. */
    private static final Duration ANSWERED = Duration.ofSeconds(5);

    private final EdgeSystem system;
    private final EdgeNode node;
    private final AtomicBoolean ending = new AtomicBoolean();
    private final AtomicLong slowest = new AtomicLong();
    private final AtomicInteger changes = new AtomicInteger();
    private final List<String> wrong = new ArrayList<>();
    private final List<Long> sent = new ArrayList<>();
    private final Queue<Change> slow = new ConcurrentLinkedQueue<>();
    private int accepted;
    private volatile long limit = Long.MAX_VALUE;

    /** When a change began and ended, by the clock of {@code System.nanoTime()}. */
    private record Change(long begun, long ended) { }

    RequestFuzzIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void configure() {
        system.reset();
        system.restconf().put(Intent.path("fuzzed"),
            Intent.tenants(List.of(Intent.tenant("fuzzed", node, VLAN, Intent.FIRST_POOL))));
        change(0);
        system.awaitApplied();
    }

    @AfterEach
    void stop() {
        ending.set(true);
        system.reset();
    }

    @Test
    void eachIsRefusedInWordsAndLeavesNothing() {
        final List<Request> requests = new ArrayList<>(requests(FIXED_SEED));
        Collections.shuffle(requests, new Random(FIXED_SEED));
        final String before = system.storedWithout("other").toString();
        final CompletableFuture<Void> neighbour = changeAllTheTime();
        sendAll(requests.subList(0, SOME), before);
        restore(before);
        ending.set(true);
        neighbour.join();
        areRefused(FIXED_SEED, SOME);
        system.awaitSync();
    }

    private List<Request> requests(final long seed) {
        return new BadRequests(BindingRuntimeHelpers.createRuntimeContext().getEffectiveModelContext(), node.name(),
            seed).requests();
    }

    private CompletableFuture<Void> changeAllTheTime() {
        return CompletableFuture.runAsync(() -> {
            while (!ending.get()) {
                change(changes.incrementAndGet());
            }
        });
    }

    private void sendAll(final List<Request> requests, final String before) {
        final List<Request> since = new ArrayList<>();
        for (final Request request : requests) {
            since.add(request);
            sent.add(System.nanoTime());
            final boolean isChange = send(request);
            if (isChange || since.size() == INTERVAL) {
                compare(before, isChange, since);
                since.clear();
            }
        }
        compare(before, false, since);
    }

    private void areRefused(final long seed, final int number) {
        assertThat(wrong).as("seed %d", seed).isEmpty();
        assertThat(accepted).as("good ones").isLessThan(number / 5);
    }

    @Test
    @Tag("deep")
    @Tag("fuzz")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void noneOfManyDelaysAnotherWriter() {
        Figures.tell("bad requests, seed", Long.toString(SEED));
        for (int number = 1; number <= CALM_CHANGES; number++) {
            change(number);
        }
        final long calm = slowest.getAndSet(0);
        limit = LONGEST.toMillis() + calm;
        final String before = system.storedWithout("other").toString();
        final CompletableFuture<Void> neighbour = changeAllTheTime();
        final List<Request> requests = requests(SEED);
        final long begun = System.nanoTime();
        sendAll(requests, before);
        final List<Request> suspects = suspects(requests);
        slow.clear();
        for (int repetition = 0; repetition < REPETITIONS; repetition++) {
            suspects.forEach(this::send);
        }
        restore(before);
        ending.set(true);
        neighbour.join();
        Figures.tell("bad requests", requests.size() + " in " + millis(begun) + " ms, " + accepted + " of them good; "
            + changes + " changes beside them, slowest " + slowest + " ms, before " + calm + " ms; "
            + suspects.size() + " sent again");
        assertThat(requests).hasSizeGreaterThan(LEAST);
        areRefused(SEED, requests.size());
        assertThat(slow).as("beside one of %s", suspects).isEmpty();
        system.awaitSync();
    }

    /** Those that were sent while a change was slow, or just before. */
    private List<Request> suspects(final List<Request> requests) {
        final List<Change> delayed = List.copyOf(slow);
        return IntStream.range(0, requests.size()).filter(number -> delayed.stream().anyMatch(change ->
            sent.get(number) < change.ended() && (number + 1 == sent.size() || sent.get(number + 1) > change.begun())))
            .mapToObj(requests::get).toList();
    }

    private static long millis(final long begun) {
        return Duration.ofNanos(System.nanoTime() - begun).toMillis();
    }

    /** Whether a request was accepted that may have changed something. */
    private boolean send(final Request request) {
        final long begun = System.nanoTime();
        final Answer answer = system.restconf().raw(request.method(), request.path(), request.type(), request.body());
        final long millis = millis(begun);
        if (limit < Long.MAX_VALUE && millis > ANSWERED.toMillis()) {
            wrong.add(request + ": answered after " + millis + " ms");
        }
        if (answer.isRefusal() && !isClear(answer) || !answer.isRefusal() && !answer.isGood()) {
            wrong.add("%s: %d %.400s".formatted(request, answer.status(), answer.body()));
        }
        final boolean isChange = answer.isGood() && !List.of("GET", "OPTIONS").contains(request.method());
        accepted += isChange ? 1 : 0;
        return isChange && request.path().startsWith("data");
    }

    /** The server answers by itself where the path cannot be decoded. */
    private static boolean isClear(final Answer answer) {
        if (answer.body().startsWith("<h1>Bad Message 400</h1>")) {
            return true;
        }
        if (!answer.body().contains("error-message")) {
            return false;
        }
        final String messages = answer.messages();
        return !messages.isBlank() && !messages.contains("Exception") && !messages.contains("Cannot invoke");
    }

    /** Compares what is stored, and undoes what was good. */
    private void compare(final String before, final boolean isUndone, final List<Request> since) {
        if (!system.storedWithout("other").toString().equals(before)) {
            if (!isUndone) {
                wrong.add("something is stored of one of " + since);
            }
            restore(before);
            assertThat(system.storedWithout("other").toString()).as("undone: %s", since).isEqualTo(before);
        }
    }

    private void restore(final String before) {
        final JsonObject stored = JsonParser.parseString(before).getAsJsonObject();
        system.restconf().put(Intent.ACLS, stored.getAsJsonObject("acls").toString());
        final JsonObject network = stored.getAsJsonObject("network");
        network.getAsJsonArray("tenant").add(JsonParser.parseString(other(0)));
        while (!system.restconf().data("PUT", Intent.NETWORK, "{'penstock:network': " + network + "}").isGood()) {
            // The other client has changed its tenant meanwhile.
            Thread.onSpinWait();
        }
    }

    private String other(final int number) {
        return Intent.tenant("other", node, VLAN + 1, Intent.FIRST_POOL,
            "'quota': {'bandwidth-out': " + (1_000_000 + number) + "}");
    }

    private void change(final int number) {
        Answer answer;
        do {
            final long begun = System.nanoTime();
            answer = system.restconf().data("PUT", Intent.path("other"), Intent.tenants(List.of(other(number))));
            final long taken = millis(begun);
            slowest.accumulateAndGet(taken, Math::max);
            if (taken > limit) {
                slow.add(new Change(begun, System.nanoTime()));
            }
            // This test may have replaced the network meanwhile.
        } while (answer.status() == 409 && answer.body().contains("in-use"));
        assertThat(answer.isGood()).as("%s", answer).isTrue();
    }
}
