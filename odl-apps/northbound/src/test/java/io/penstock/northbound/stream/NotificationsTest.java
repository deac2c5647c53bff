// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.events.Notice;
import io.penstock.events.OperatorEvent;
import io.penstock.events.SampleEvents;
import io.penstock.southbound.openflow.MdSalInProcess;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opendaylight.mdsal.dom.api.DOMEvent;
import org.opendaylight.mdsal.dom.api.DOMNotification;
import org.opendaylight.yangtools.yang.data.api.schema.ContainerNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.stmt.SchemaNodeIdentifier.Absolute;

/** Every event is a notification of the model, and the other way. */
class NotificationsTest {
    private static final MdSalInProcess MDSAL = new MdSalInProcess();
    private static final EffectiveModelContext MODEL = MDSAL.model();

    private static List<OperatorEvent> samples() {
        return SampleEvents.ALL;
    }

    @Test
    void everyEventHasASample() {
        assertThat(SampleEvents.ALL).extracting(Object::getClass).containsAll(
            List.of(OperatorEvent.class.getPermittedSubclasses()));
    }

    @Test
    void everyNotificationOfTheModelIsAnEvent() {
        assertThat(Stream.of("penstock-operations", "penstock-state").flatMap(module ->
            MODEL.findModules(module).iterator().next().getNotifications().stream()
                .map(each -> module + ":" + each.getQName().getLocalName())).toList()).isNotEmpty()
            .allMatch(samples().stream().map(OperatorEvent::notification).collect(Collectors.toSet())::contains);
    }

    @ParameterizedTest
    @MethodSource("samples")
    void anEventIsANotificationOfTheModel(final OperatorEvent event) {
        final ContainerNode body = Notifications.body(MODEL, Notice.of(event, SampleEvents.CLOCK.instant()));
        assertThat(body.getIdentifier().getNodeType().getLocalName()).isEqualTo(event.notification().split(":")[1]);
        assertThat(body.body()).hasSize((int) event.details().leaves().stream().map(leaf -> leaf.name()).distinct()
            .count());
    }

    @ParameterizedTest
    @MethodSource("samples")
    void anEventReachesListenersWithItsTime(final OperatorEvent event) throws InterruptedException {
        final BlockingQueue<DOMNotification> heard = new LinkedBlockingQueue<>();
        final ContainerNode body = Notifications.body(MODEL, Notice.of(event, SampleEvents.CLOCK.instant()));
        try (var registration = MDSAL.domNotifications().registerNotificationListener(heard::add,
                Absolute.of(body.getIdentifier().getNodeType()))) {
            new Notifications(() -> MODEL, MDSAL.domPublisher(), SampleEvents.CLOCK).tell(event);
            final DOMNotification notification = heard.poll(1, TimeUnit.MINUTES);
            assertThat(notification.getBody()).isEqualTo(body);
            assertThat(((DOMEvent) notification).getEventInstant()).isEqualTo(SampleEvents.CLOCK.instant());
        }
    }

    @Test
    void valuesAreThoseOfTheModel() {
        final Notice wrong = Notice.of(SampleEvents.REPAIR_OF_LESS_THAN_NOTHING, SampleEvents.CLOCK.instant());
        assertThatThrownBy(() -> Notifications.body(MODEL, wrong))
            .isInstanceOf(IllegalArgumentException.class);
    }
}
