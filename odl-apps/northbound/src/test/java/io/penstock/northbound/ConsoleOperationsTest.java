// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.operations.Operations;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConsoleOperationsTest {
    private final List<Operations> registered = new ArrayList<>();
    private final List<Integer> most = new ArrayList<>();
    private Optional<String> leader = Optional.of("member-2");
    private final Operations standby = StandbyOperations.of(() -> leader);

    private Runnable register(final Operations operations) {
        registered.add(operations);
        most.add(registered.size());
        return () -> registered.remove(operations);
    }

    @Test
    void oneImplementationIsOfferedAtATime() {
        final ConsoleOperations console = new ConsoleOperations(this::register, Optional.of(standby));
        assertThat(registered).containsExactly(standby);
        final Operations engine = StandbyOperations.of(Optional::empty);
        final Runnable end = console.offer(engine);
        assertThat(registered).containsExactly(engine);
        end.run();
        assertThat(registered).containsExactly(standby);
        console.close();
        assertThat(registered).isEmpty();
        assertThat(most).containsOnly(1);
    }

    @Test
    void aControllerAloneOffersThoseOfItsEngine() {
        final ConsoleOperations console = new ConsoleOperations(this::register, Optional.empty());
        assertThat(registered).isEmpty();
        console.offer(standby).run();
        assertThat(registered).isEmpty();
        console.close();
    }

    @Test
    void oneThatStandsByNamesTheOneThatLeads() {
        assertThat(standby.names().tenants()).isEmpty();
        assertThatThrownBy(standby::status).hasMessage("this member stands by: use the console of member-2, which "
            + "leads");
        leader = Optional.empty();
        assertThatThrownBy(() -> standby.verify(Optional.empty())).hasMessageContaining("try again");
        final Operations other = StandbyOperations.of(() -> leader);
        assertThat(List.of(other, standby).indexOf(standby)).isEqualTo(1);
        assertThat(Set.of(other, standby)).contains(standby);
        assertThat(standby).hasToString("operations of a member that stands by");
    }
}
