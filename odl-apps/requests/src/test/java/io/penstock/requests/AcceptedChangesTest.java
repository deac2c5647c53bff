// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.events.ConfigurationEvent;
import io.penstock.events.OperatorEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AcceptedChangesTest {
    private static final List<String> RED = List.of("red");
    private static final Optional<String> ADMIN = Optional.of("admin");

    private final List<Runnable> due = new ArrayList<>();
    private final List<OperatorEvent> told = new ArrayList<>();
    private final AcceptedChanges changes = new AcceptedChanges((task, pause) -> due.add(task), () -> { });

    @BeforeEach
    void listen() {
        changes.tellTo(told::add);
    }

    private void pass() {
        List.copyOf(due).forEach(Runnable::run);
        due.clear();
    }

    @Test
    void theChangesOfAUserInASecondAreOneEvent() {
        changes.accepted(ADMIN, "PUT a", RED);
        changes.accepted(Optional.of("bob"), "PUT b", List.of());
        changes.accepted(ADMIN, "DELETE a", List.of("red", "blue"));
        assertThat(told).isEmpty();
        assertThat(due).hasSize(1);
        pass();
        assertThat(told).containsExactly(new ConfigurationEvent(ADMIN, 2, List.of("PUT a", "DELETE a"),
            List.of("red", "blue")),
            new ConfigurationEvent(Optional.of("bob"), 1, List.of("PUT b"), List.of()));
        changes.accepted(ADMIN, "PUT c", RED);
        pass();
        assertThat(told).hasSize(3);
    }

    @Test
    void manyChangesByManyUsersAreFewEvents() {
        for (int change = 0; change < 1000; change++) {
            changes.accepted(Optional.of("user" + change % 100), "PUT " + "x".repeat(5000),
                List.of("t" + change, "u" + change));
        }
        pass();
        assertThat(told).hasSize(AcceptedChanges.MOST_USERS + 1);
        assertThat(told.stream().map(ConfigurationEvent.class::cast)).allSatisfy(event -> {
            assertThat(event.paths()).hasSizeLessThanOrEqualTo(AcceptedChanges.MOST_PATHS);
            assertThat(event.paths()).allMatch(path -> path.length() <= AcceptedChanges.MOST_LENGTH + 3);
            assertThat(event.tenants()).hasSizeLessThanOrEqualTo(AcceptedChanges.MOST_TENANTS);
        }).extracting(ConfigurationEvent::changes).satisfies(numbers ->
            assertThat(numbers.stream().mapToInt(number -> number).sum()).isEqualTo(1000));
    }

    @Test
    void whatIsPendingIsToldBeforeItEnds() {
        changes.accepted(ADMIN, "PUT a", RED);
        changes.tellTo(event -> { });
        assertThat(told).hasSize(1);
    }
}
