// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.it.system.RestconfClient.Answer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input of {@code wait-applied} over RESTCONF. What it does is in {@code AppliedIT} of the engine. */
@OnSystem
class AppliedIT {
    private final EdgeSystem system;

    AppliedIT(final EdgeSystem system) {
        this.system = system;
    }

    @Test
    void anUnknownNodeIsRefused() {
        assertThat(refused("{'node': 'nowhere'}").messages()).contains("there is no node 'nowhere'");
    }

    @Test
    void aTimeLimitThatIsTooLongIsRefusedByItsName() {
        assertThat(refused("{'timeout-milliseconds': 600001}").messages())
            .contains("timeout-milliseconds: 600001 is not in 0..600000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "'soon'", "1.5"})
    void aBadTimeLimitIsRefused(final String limit) {
        refused("{'timeout-milliseconds': " + limit + "}");
    }

    private Answer refused(final String input) {
        final Answer answer = system.restconf().operation("wait-applied", input);
        assertThat(answer.isRefusal()).as(answer.toString()).isTrue();
        return answer;
    }
}
