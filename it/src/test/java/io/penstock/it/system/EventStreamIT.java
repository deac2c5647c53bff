// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.it.system.RestconfClient.Answer;
import io.penstock.testkit.Await;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may listen to events, and how long. */
@OnSystem
class EventStreamIT {
    private static final String KIND = "penstock-state:status-event";
    /** More than the time for which a user that was accepted is believed. */
    private static final Duration LIMIT = Duration.ofSeconds(45);

    private final EdgeSystem system;

    EventStreamIT(final EdgeSystem system) {
        this.system = system;
    }

    private Answer good(final String method, final String path, final String document) {
        final Answer answer = system.restconf().users(method, path, document);
        assertThat(answer.isGood()).as("%s %s: %s", method, path, answer).isTrue();
        return answer;
    }

    /** A user may be removed, or get another password. */
    @ParameterizedTest
    @ValueSource(strings = {"DELETE", "PUT"})
    void aStreamEndsWithTheRightOfItsUser(final String method) {
        final String name = "listener-" + method.toLowerCase(Locale.ROOT);
        final String user = "{'name': '" + name + "', 'description': '', 'email': '', 'enabled': 1,"
            + " 'domainid': 'sdn', 'password': '%s'}";
        good("POST", "users", user.formatted("first"));
        good("POST", "domains/sdn/users/" + name + "@sdn/roles", "{'roleid': 'user@sdn'}");
        try (EventStream admin = system.restconf().listen(KIND);
                EventStream stream = system.restconf().as(name, "first").listen(KIND)) {
            good(method, "users/" + name + "@sdn", method.equals("PUT") ? user.formatted("second") : "");
            Await.until("the stream ends", LIMIT, stream::hasEnded);
            assertThat(admin.hasEnded()).isFalse();
        }
    }
}
