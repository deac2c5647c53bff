// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The form of events, and what takes them. */
class OperatorEventTest {
    @Test
    void linesForPeople() {
        assertThat(SampleEvents.ALL).extracting(OperatorEvent::line).contains("node edge1: lost, was connected",
            "tenant red: stopped, was active: function fw is down", "pool public: high-threshold, 6 of 8 used",
            "tenant red port-block 10.0.0.0/24 198.51.100.0/31: drained, 0 of 2 used",
            "tenant red port-block 10.0.0.0/24: exhausted, 4 of 4 used",
            "tenant red DHCP subnet 10.0.0.0/24: empty, a client asked and no address was left",
            "tenant red resolver on edge1: dead, it ended",
            "user admin changed the configuration of tenants red, blue, 3 changes: PUT penstock:network/tenant=red, "
                + "DELETE /b, ...",
            "a session changed the configuration, 1 change: DELETE penstock:network/pool=west",
            "function fw: canary 2.0 judged back: it is slow",
            "Node edge1: its switch differed from the plan and was repaired: 1 missing, 2 excess, 3 wrong; "
                + "first in acl: priority=5",
            "tenant red: quota new-sessions on node edge1 is reached, packets are dropped",
            "tenant red: quota sessions on node edge1 drops no packets any more",
            "tenant red: packets from addresses that are not the senders' are dropped on node edge1",
            "tenant red: no packets from addresses that are not the senders' are dropped on node edge1 any more");
    }

    @Test
    void aTextOfANodeMakesNoOtherLineAndNoLongOne() {
        final OperatorEvent event = new RepairEvent("edge1", 1, 0, 0, "acl", "a\nb\r\u0000" + "c".repeat(5000));
        assertThat(event.line()).hasSize(503).endsWith("c...").contains("a b  c");
    }

    @Test
    void aSinkThatFailsKeepsAnEventFromNoOther() {
        final List<OperatorEvent> told = new ArrayList<>();
        EventSink.all(List.of(event -> {
            throw new IllegalStateException("on purpose");
        }, EventSink.log(), told::add)).tell(SampleEvents.NODE_LOST);
        assertThat(told).containsExactly(SampleEvents.NODE_LOST);
    }
}
