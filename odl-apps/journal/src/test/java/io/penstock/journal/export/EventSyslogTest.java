// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.events.OperatorEvent;
import io.penstock.events.RepairEvent;
import io.penstock.events.SampleEvents;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventSyslogTest {
    private static String message(final OperatorEvent event) {
        final Payload message = new EventSyslog("host", SampleEvents.CLOCK).apply(List.of(event)).get(0);
        return StandardCharsets.UTF_8.decode(message.bytes()).toString();
    }

    @Test
    void theLeavesAreDataAndTheLineIsText() {
        assertThat(message(SampleEvents.NODE_LOST)).isEqualTo(
            "<131>1 2026-11-26T12:00:00Z host penstock - status-event [event@32473 kind=\"node\" name=\"edge1\" "
                + "status=\"lost\" former-status=\"connected\" time=\"2026-11-26T12:00:00Z\"] "
                + "node edge1: lost, was connected");
    }

    @Test
    void aTextOfANodeIsNoOtherMessage() {
        assertThat(message(new RepairEvent("edge1", 1, 0, 0, "acl", "x\"]\n<0>1 " + "y".repeat(5000))))
            .contains("label=\"x\\\"\\] <0>1 yy").doesNotContain("\n").hasSizeLessThan(1280);
    }
}
