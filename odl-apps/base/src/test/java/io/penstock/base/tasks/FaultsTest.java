// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.helpers.NOPLogger;

class FaultsTest {
    private final Faults faults = new Faults(NOPLogger.NOP_LOGGER);

    private boolean fail(final String subject, final String message) {
        return faults.failed(subject, "on purpose", new IllegalStateException(message));
    }

    @Test
    void aFaultIsLoggedOnceUntilItsSubjectSucceeds() {
        assertThat(fail("leases", "1")).isTrue();
        assertThat(fail("leases", "2")).isFalse();
        assertThat(fail("port blocks", "1")).isTrue();
        faults.succeeded("leases");
        assertThat(fail("leases", "3")).isTrue();
        assertThat(fail("port blocks", "2")).isFalse();
    }

    @Test
    void anotherFaultOfTheSameIsLogged() {
        assertThat(fail("leases", "1")).isTrue();
        assertThat(faults.failed("leases", "on purpose", new IllegalArgumentException("1"))).isTrue();
    }
}
