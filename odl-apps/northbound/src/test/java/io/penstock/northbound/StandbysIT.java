// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.configuration.ConfigurationStore;
import io.penstock.configuration.JournalLines;
import io.penstock.configuration.Mastership;
import io.penstock.engine.SteadyClock;
import io.penstock.membership.Leadership;
import io.penstock.membership.Members;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.southbound.openflow.MdSalInProcess;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.SwitchAdmission;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.testkit.Await;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** To which members switches are connected, and which switches one that stands by believes; with a real datastore. */
@Tag("hostile")
@Tag("safety")
class StandbysIT {
    private static final Duration PERIOD = Duration.ofMillis(20);
    private static final Instant TIME = Instant.parse("2026-11-26T12:00:00Z");
    private static final String OWN = "tcp:192.0.2.1:6653";
    private static final String SECOND = "tcp:192.0.2.2:6653";

    private final Others others = new Others();
    private final AtomicReference<@Nullable Stand> stand = new AtomicReference<>();
    private final MdSalInProcess mdsal = new MdSalInProcess();
    private final ConfigurationStore store = new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker());
    @TempDir
    private Path directory;
    private SteadyClock clock;
    private Optional<String> shortage = Optional.empty();
    private Standbys standbys;
    private DiskRoom room;

    /** What the switches were told: they are slaves of an epoch, and may connect if this admits them. */
    private record Stand(long epoch, SwitchAdmission admission) { }

    @BeforeEach
    void start() {
        clock = SteadyClock.open(directory.resolve("steady-clock"), Clock.systemUTC());
        standbys = new Standbys(store, southbound(), others, OWN, clock, PERIOD);
        room = new DiskRoom(others, () -> shortage);
    }

    @AfterEach
    void stop() {
        room.close();
        standbys.close();
        store.close();
        mdsal.close();
    }

    private OpenFlowSouthbound southbound() {
        return (OpenFlowSouthbound) Proxy.newProxyInstance(getClass().getClassLoader(),
            new Class<?>[] {OpenFlowSouthbound.class}, (proxy, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("standBy");
                stand.set(new Stand((Long) arguments[0], (SwitchAdmission) arguments[1]));
                return null;
            });
    }

    private String answer() throws IOException {
        return answer("openflow-target");
    }

    private String answer(final String topic) throws IOException {
        return new String(others.own.get(topic).answer(""), StandardCharsets.UTF_8);
    }

    /** Until the others have been asked some times more. */
    private void asked(final int times) {
        final int before = others.asked.getOrDefault("member-3", 0);
        Await.until("asked again", () -> others.asked.getOrDefault("member-3", 0) >= before + times);
    }

    @Test
    void aMemberSaysThatItStandsByWhileItDoes() throws Exception {
        assertThat(answer()).as("not known yet").isEmpty();
        standbys.begin(Optional.of("member-2"));
        assertThat(answer()).isEqualTo(OWN);
        standbys.end("member-1");
        assertThat(answer()).isEmpty();
    }

    @Test
    void theOneThatLeadsIsNamedToNoSwitchUntilItStandsByAgain() {
        others.targets.putAll(Map.of("member-2", SECOND, "member-3", "tcp:192.0.2.3:6653"));
        Await.until("all stand by", () -> standbys.controllers().size() == 3);
        standbys.begin(Optional.of("member-2"));
        // It is asked time and again, and its answer of before is there still: as if it were slow.
        for (int look = 0; look < 10; look++) {
            assertThat(standbys.controllers()).doesNotContain(SECOND);
            asked(1);
        }
        final AtomicReference<Boolean> told = new AtomicReference<>(false);
        others.targets.remove("member-2");
        standbys.end("member-1");
        asked(3);
        standbys.tell(() -> told.set(true));
        assertThat(standbys.controllers()).as("stopped").doesNotContain(SECOND);
        others.targets.put("member-2", SECOND);
        Await.until("it stands by", () -> standbys.controllers().contains(SECOND));
        Await.until("told", told::get);
    }

    @Test
    void oneQuestionWithoutAnAnswerIsNoReasonAndTheAnswerIs() {
        others.targets.put("member-2", SECOND);
        Await.until("it stands by", () -> standbys.controllers().contains(SECOND));
        final int before = others.asked.get("member-2");
        others.targets.remove("member-2");
        Await.until("is given up", () -> !standbys.controllers().contains(SECOND));
        assertThat(others.asked.get("member-2") - before).isGreaterThanOrEqualTo(3);
        others.targets.put("member-2", SECOND);
        Await.until("it stands by", () -> standbys.controllers().contains(SECOND));
        others.targets.put("member-2", "");
        Await.until("it says that it does not", () -> !standbys.controllers().contains(SECOND));
    }

    @Test
    void aSuccessorStandsByAndHasRoom() throws Exception {
        assertThat(answer("disk-shortage")).isEmpty();
        shortage = Optional.of("full here");
        assertThat(answer("disk-shortage")).isEqualTo("full here");
        assertThat(room.first(standbys.names())).as("no other stands by").isEmpty();
        others.targets.put("member-2", SECOND);
        Await.until("one stands by", () -> standbys.controllers().size() == 2);
        assertThat(room.first(standbys.names())).as("its disk is full").isEmpty();
        others.targets.put("member-3", "tcp:192.0.2.3:6653");
        Await.until("both stand by", () -> standbys.controllers().size() == 3);
        assertThat(room.first(standbys.names())).contains("member-3");
    }

    @Test
    void switchesAreJudgedByWhatTheMasterHasStored() {
        final Mastership first = store.claim("member-2", TIME);
        standbys.begin(Optional.of("member-2"));
        final Allocations one = new Allocations(0, new TreeMap<>(Map.of("edge1", 1)),
            new TreeMap<>(Map.of("edge1", new TreeMap<>())), Map.of(), new TreeMap<>(), "a".repeat(64), 1, 0);
        store.writeAllocations(first, Allocations.none(), one, Optional.empty(), JournalLines.NONE);
        Await.until("the epoch", () -> stand.get() != null && denied("edge1", one).isEmpty());
        assertThat(stand.get().epoch()).isEqualTo(first.epoch());
        assertThat(denied("edge2", one)).contains("its certificate is that of node edge2, and this is the datapath id "
            + "of node edge1");
        final Mastership second = store.claim("member-3", TIME);
        Await.until("the next epoch", () -> stand.get().epoch() == second.epoch());

        standbys.end("member-1");
        store.claim("member-1", TIME);
        assertThat(stand.get().epoch()).as("leads itself").isEqualTo(second.epoch());
    }

    @Test
    void theClockOfLeasesIsThatOfTheMaster() throws Exception {
        others.behind = Duration.ofHours(3);
        standbys.begin(Optional.of("member-2"));
        Await.until("followed", () -> behind().compareTo(Duration.ofHours(2)) > 0);
        assertThat(behind()).isCloseTo(Duration.ofHours(3), Duration.ofMinutes(5));
        assertThatThrownBy(() -> answer("steady-clock")).hasMessage("does not lead");
        standbys.end("member-1");
        others.behind = Duration.ofHours(9);
        asked(3);
        assertThat(behind()).as("leads itself").isCloseTo(Duration.ofHours(3), Duration.ofMinutes(5));
        assertThat(Duration.between(Instant.parse(answer("steady-clock")), clock.instant()).abs())
            .isLessThan(Duration.ofMinutes(5));
    }

    private Duration behind() {
        return Duration.between(clock.instant(), Clock.systemUTC().instant());
    }

    private Optional<String> denied(final String node, final Allocations allocations) {
        return stand.get().admission().denies(node, new SwitchId(allocations.datapathId("edge1")));
    }

    /** Two other members, and what they answer. */
    private static final class Others implements Members {
        private final Map<String, String> targets = new ConcurrentHashMap<>();
        private final Map<String, Integer> asked = new ConcurrentHashMap<>();
        private final Map<String, Answers> own = new ConcurrentHashMap<>();
        /** What the clock of member 2 is behind that of this machine. */
        private volatile Duration behind = Duration.ZERO;

        @Override
        public List<String> others() {
            return List.of("member-2", "member-3");
        }

        @Override
        public Leadership.Registration serve(final String topic, final Answers answers) {
            own.put(topic, answers);
            return () -> own.remove(topic);
        }

        @Override
        public byte[] ask(final String member, final String topic, final String question, final Duration limit)
                throws IOException {
            if ("disk-shortage".equals(topic)) {
                return "member-2".equals(member) ? "the disk is full".getBytes(StandardCharsets.UTF_8) : new byte[0];
            }
            if ("steady-clock".equals(topic)) {
                return Clock.systemUTC().instant().minus(behind).toString().getBytes(StandardCharsets.UTF_8);
            }
            asked.merge(member, 1, Integer::sum);
            final String target = targets.get(member);
            if (target == null) {
                throw new IOException(member + " does not answer");
            }
            return target.getBytes(StandardCharsets.UTF_8);
        }
    }
}
