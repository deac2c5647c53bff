// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.events.Notice;
import io.penstock.events.OperatorEvent;
import io.penstock.events.SampleEvents;
import io.penstock.membership.Leadership;
import io.penstock.membership.Members;
import io.penstock.testkit.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who listens at one member hears of all. */
class EventRelayTest {
    private static final Duration PERIOD = Duration.ofMillis(20);

    /** What each member answers, by name and topic. */
    private final Map<String, Members.Answers> answers = new ConcurrentHashMap<>();
    /** Questions of the relay that listens. */
    private final AtomicInteger asked = new AtomicInteger();
    private final List<Notice> heard = new CopyOnWriteArrayList<>();
    private final List<EventRelay> relays = new ArrayList<>();
    private final EventRelay listening = relay("member-1", heard);

    private EventRelay relay(final String own, final List<Notice> target) {
        final EventRelay relay = new EventRelay(new Members() {
            @Override
            public List<String> others() {
                return List.of("member-1".equals(own) ? "member-2" : "member-1");
            }

            @Override
            public Leadership.Registration serve(final String topic, final Answers given) {
                answers.put(own + topic, given);
                return () -> answers.remove(own + topic, given);
            }

            @Override
            public byte[] ask(final String member, final String topic, final String question, final Duration limit)
                    throws IOException {
                asked.addAndGet("member-1".equals(own) ? 1 : 0);
                final Answers given = answers.get(member + topic);
                if (given == null) {
                    throw new IOException(member + " does not answer");
                }
                return given.answer(question);
            }
        }, SampleEvents.CLOCK, List.of(notice -> {
            throw new IllegalStateException("a target that fails keeps nothing from the others");
        }, target::add), PERIOD);
        relays.add(relay);
        return relay;
    }

    @AfterEach
    void stop() {
        relays.forEach(EventRelay::close);
    }

    private static List<Notice> notices(final List<OperatorEvent> events) {
        return events.stream().map(event -> Notice.of(event, SampleEvents.CLOCK.instant())).toList();
    }

    private static void tell(final EventRelay relay, final List<OperatorEvent> events) {
        events.forEach(relay.sink()::tell);
    }

    /** Until the relay that listens knows where another one stands. */
    private void settle() {
        final int before = asked.get();
        Await.until("asked again", () -> asked.get() >= before + 3);
    }

    @Test
    void eventsOfAnotherMemberComeOnceAndInTheirOrder() {
        final EventRelay other = relay("member-2", new CopyOnWriteArrayList<>());
        tell(other, SampleEvents.ALL.subList(0, 2));
        settle();
        heard.clear();
        tell(other, SampleEvents.ALL);
        tell(listening, SampleEvents.ALL);
        Await.until("all", () -> heard.size() >= SampleEvents.ALL.size());
        settle();
        assertThat(heard).isEqualTo(notices(SampleEvents.ALL));
    }

    @Test
    void manyComeInSeveralAnswers() {
        final EventRelay other = relay("member-2", new CopyOnWriteArrayList<>());
        settle();
        final List<OperatorEvent> many = new ArrayList<>();
        while (many.size() < 300) {
            many.addAll(SampleEvents.ALL);
        }
        tell(other, many);
        Await.until("all", () -> heard.size() >= many.size());
        assertThat(heard).isEqualTo(notices(many));
    }

    @Test
    void aMemberThatWasStartedAgainTellsFromItsBegin() {
        final EventRelay before = relay("member-2", new CopyOnWriteArrayList<>());
        settle();
        before.close();
        final EventRelay after = relay("member-2", new CopyOnWriteArrayList<>());
        tell(after, SampleEvents.ALL.subList(0, 1));
        Await.until("its event", () -> !heard.isEmpty());
        settle();
        assertThat(heard).isEqualTo(notices(SampleEvents.ALL.subList(0, 1)));
    }

    @Test
    void aQuestionThatMakesNoSenseHasNoAnswer() {
        assertThatThrownBy(() -> answers.get("member-1events").answer("{")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> answers.get("member-1events").answer("[1]")).isInstanceOf(IOException.class);
    }
}
