// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.ConfigurationStore;
import io.penstock.southbound.openflow.MdSalInProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.opendaylight.infrautils.diagstatus.ServiceDescriptor;
import org.opendaylight.infrautils.diagstatus.ServiceState;

/** What OpenDaylight's status service is told of the engine. */
class EngineReadinessTest {
    @Test
    void everyStateOfTheEngineHasAWordOfTheService() {
        try (MdSalInProcess mdsal = new MdSalInProcess();
                ConfigurationStore store = new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker())) {
            final EngineReadiness readiness = new EngineReadiness(store);
            assertState(readiness, ServiceState.STARTING, "it has not started yet");
            store.start(() -> {
                throw new AssertionError("nothing is judged here");
            }, List::of, Optional::empty, () -> { });
            assertState(readiness, ServiceState.OPERATIONAL, "");
            store.impairedBy(() -> Optional.of("no elections"));
            assertState(readiness, ServiceState.SUSPECTED, "no elections");
            store.impairedBy(Optional::empty);
            assertState(readiness, ServiceState.OPERATIONAL, "");
            store.stop("it has stopped");
            store.start(() -> {
                throw new AssertionError("nothing is judged here");
            }, List::of, () -> Optional.of("the disk is full"), () -> { });
            assertState(readiness, ServiceState.SUSPECTED, "the disk is full");
            store.fail("port 6640 is taken");
            assertState(readiness, ServiceState.ERROR, "port 6640 is taken");
        }
    }

    private static void assertState(final EngineReadiness readiness, final ServiceState state, final String reason) {
        final ServiceDescriptor told = readiness.getServiceDescriptor();
        assertThat(told.getModuleServiceName()).isEqualTo("PENSTOCK");
        assertThat(told.getServiceState()).isEqualTo(state);
        assertThat(told.getStatusDesc()).isEqualTo(reason);
    }

    @Test
    void theReasonHasTheCausesAndSaysNothingTwice() {
        final IOException full = new IOException("No space left on device");
        assertThat(Controller.reason(new UncheckedIOException("cannot write the journal", full)))
            .isEqualTo("cannot write the journal: No space left on device");
        assertThat(Controller.reason(new UncheckedIOException(full)))
            .isEqualTo("java.io.IOException: No space left on device");
    }
}
