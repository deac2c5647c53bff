// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.ConfigurationStore;
import io.penstock.configuration.Readiness;
import org.opendaylight.infrautils.diagstatus.ServiceDescriptor;
import org.opendaylight.infrautils.diagstatus.ServiceState;
import org.opendaylight.infrautils.diagstatus.ServiceStatusProvider;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Tells OpenDaylight's status service whether the engine carries out what is configured. A component of its own, so
 * that it also tells why the engine did not start. Safe for all threads.
 */
@Component(service = ServiceStatusProvider.class, immediate = true)
public final class EngineReadiness implements ServiceStatusProvider {
    /** Name among the services of /diagstatus. The same as SERVICE in karaf/penstock_controller/probe.py. */
    static final String SERVICE = "PENSTOCK";

    private final ConfigurationStore store;

    /** Tells of the engine that carries out what a store has. */
    @Activate
    public EngineReadiness(@Reference final ConfigurationStore store) {
        this.store = requireNonNull(store);
    }

    @Override
    public ServiceDescriptor getServiceDescriptor() {
        final Readiness readiness = store.readiness();
        return new ServiceDescriptor(SERVICE, state(readiness.level()), readiness.reason());
    }

    private static ServiceState state(final Readiness.Level level) {
        return switch (level) {
            case ABSENT -> ServiceState.STARTING;
            case READY, STANDBY -> ServiceState.OPERATIONAL;
            case IMPAIRED -> ServiceState.SUSPECTED;
            case FAILED -> ServiceState.ERROR;
        };
    }
}
