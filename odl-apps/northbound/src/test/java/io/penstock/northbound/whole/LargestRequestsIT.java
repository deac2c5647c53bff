// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.requests.LargestRequests;
import io.penstock.requests.LargestRequests.Kind;
import io.penstock.requests.LargestRequests.Request;
import io.penstock.requests.LargestRequests.Target;
import io.penstock.testkit.Documents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A large request for each list of the model, while another client changes its tenant: each is stored or refused in
 * words, and what was refused has left nothing.
 */
@Tag("hostile")
@OnEdge
@Timeout(value = 1, unit = TimeUnit.HOURS)
class LargestRequestsIT {
    private static final int FEW_ENTRIES = 500;
    private static final long SEED = 79;
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final int VLAN = 900;
    private static final String NOT_READ = "not read: ";
    private static final String HIDDEN = "RESTCONF answers 500: ";

    private final Edge edge;
    private final ExecutorService neighbour = Executors.newSingleThreadExecutor();
    private final AtomicBoolean ending = new AtomicBoolean();
    private volatile long longestNanos;

    LargestRequestsIT(final Edge edge) {
        this.edge = edge;
    }

    @BeforeEach
    void reset() {
        edge.reset();
    }

    @AfterEach
    void stop() {
        ending.set(true);
        neighbour.shutdownNow();
        edge.reset();
    }

    @Test
    void eachListIsStoredOrRefusedInWords() throws Exception {
        final Random random = new Random(SEED);
        sendAll(FEW_ENTRIES, () -> kinds(random), Duration.ofDays(1));
    }

    /**
     * The largest requests: no change of the other client waits for long. {@code -Dlargest.entries=100000} for more;
     * {@code -Dlargest.all=false} for three kinds of each list instead of all, one of which chance decides.
     */
    @Tag("deep")
    @Tag("fuzz")
    @Test
    void noListDelaysOthers() throws Exception {
        final boolean all = !"false".equals(System.getProperty("largest.all"));
        final long seed = Long.getLong("largest.seed", System.nanoTime());
        final Random random = new Random(seed);
        tell("largest requests, seed " + seed);
        sendAll(Integer.getInteger("largest.entries", 5000),
            () -> all ? EnumSet.allOf(Kind.class) : kinds(random), LONGEST);
    }

    /** The two that rules compare with each other, and one more. */
    private static Set<Kind> kinds(final Random random) {
        return EnumSet.of(Kind.DISTINCT, Kind.OVERLAPPING, Kind.values()[random.nextInt(Kind.values().length)]);
    }

    private void sendAll(final int entries, final Supplier<Set<Kind>> kinds, final Duration longest) throws Exception {
        final LargestRequests requests = new LargestRequests(edge.controller().model(), edge.first().name());
        final String before = edge.client().read(Documents.NETWORK).toString();
        final Future<?> changes = neighbour.submit(this::change);
        final List<String> wrong = new ArrayList<>();
        for (final Target target : requests.targets()) {
            for (final Kind kind : kinds.get()) {
                // A few long strings are as large as many entries.
                final Request request = requests.request(target, kind, kind == Kind.EXTREME ? entries / 10 : entries);
                longestNanos = 0;
                final String answer = send(request);
                final long waited = TimeUnit.NANOSECONDS.toMillis(longestNanos);
                if (waited > longest.toMillis() || !isClear(answer)) {
                    wrong.add("%s, others wait %d ms: %.300s".formatted(request, waited, answer));
                }
                if (answer.isEmpty()) {
                    restore(before);
                }
            }
        }
        ending.set(true);
        changes.get();
        assertThat(wrong).isEmpty();
        edge.client().delete(Documents.path("other"));
        assertThat(edge.client().read(Documents.NETWORK).toString()).isEqualTo(before);
    }

    @SuppressWarnings("checkstyle:RegexpSinglelineJava")
    private static void tell(final String text) {
        System.out.println("  " + text);
    }

    /** Whether it was stored, or the entry is named. */
    private static boolean isClear(final String answer) {
        return answer.isEmpty() || answer.contains(": ") && !answer.contains("(internal)")
            && !answer.startsWith(NOT_READ) && !answer.startsWith(HIDDEN);
    }

    /** Why it is refused; empty when it was stored. */
    private String send(final Request request) {
        try {
            return edge.client().data("PATCH", request.path(), request.document()).messages();
        } catch (IllegalArgumentException | IllegalStateException e) {
            // The codec's words, which name no entry: the filter let pass what is not of its type.
            return NOT_READ + e.getMessage();
        } catch (AssertionError e) {
            return HIDDEN + e.getCause();
        }
    }

    private synchronized void restore(final String before) {
        edge.client().put(Documents.NETWORK, before);
        edge.client().put(Documents.ACLS, Documents.baseLists());
    }

    private void change() {
        for (int number = 0; !ending.get(); number++) {
            synchronized (this) {
                final long begun = System.nanoTime();
                edge.client().put(Documents.path("other"), Documents.tenants(List.of(Documents.tenant("other",
                    edge.first().name(), VLAN + number % 2, Documents.FIRST_POOL))));
                longestNanos = Math.max(longestNanos, System.nanoTime() - begun);
            }
        }
    }
}
