// SPDX-License-Identifier: Apache-2.0
package io.penstock.datastore;

import java.util.List;
import java.util.stream.Stream;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.hooks.weaving.WeavingHook;

/**
 * Registers the repairs. The framework starts this bundle before those of the datastore (its start level stands in the
 * feature odl-penstock-platform), since a class that is loaded is not woven again.
 */
public final class Activator implements BundleActivator {
    private List<ServiceRegistration<WeavingHook>> registrations = List.of();

    @Override
    public void start(final BundleContext context) {
        registrations = Stream.of(new PreCommitRepair(), new JournalScanRepair())
            .map(repair -> context.registerService(WeavingHook.class, repair, null)).toList();
    }

    @Override
    public void stop(final BundleContext context) {
        registrations.forEach(ServiceRegistration::unregister);
    }
}
