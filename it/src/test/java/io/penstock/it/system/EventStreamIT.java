// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may listen to events, and how long. */
@Tag("safety")
@Tag("deep")
@Tag("restart")
@OnSystem
class EventStreamIT {
    private static final String KIND = "penstock-state:status-event";
    /** More than the time for which a user that was accepted is believed. */
    private static final Duration LIMIT = Duration.ofSeconds(45);

    private final EdgeSystem system;

    EventStreamIT(final EdgeSystem system) {
        this.system = system;
    }

    /** A user may be removed, or get another password or role. */
    @ParameterizedTest
    @ValueSource(strings = {"penstock-access:delete-user {'name': 'listener'}",
        "penstock-access:set-user {'name': 'listener', 'password': 'the second password'}",
        "penstock-access:set-user {'name': 'listener', 'role': 'tenant', 'tenant': ['red']}"})
    void aStreamEndsWithTheRightOfItsUser(final String change) {
        system.restconf().call("penstock-access:set-user", "{'name': 'listener', 'is-new': true, 'role': 'reader', "
            + "'password': 'the first password'}");
        final String[] call = change.split(" ", 2);
        try (EventStream admin = system.restconf().listen(KIND);
                EventStream stream = system.restconf().as("listener", "the first password").listen(KIND)) {
            system.restconf().call(call[0], call[1]);
            Await.until("the stream ends", LIMIT, stream::hasEnded);
            assertThat(admin.hasEnded()).isFalse();
        } finally {
            if (!call[0].endsWith("delete-user")) {
                system.restconf().call("penstock-access:delete-user", "{'name': 'listener'}");
            }
        }
    }
}
