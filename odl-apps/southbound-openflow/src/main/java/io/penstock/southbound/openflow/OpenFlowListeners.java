// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import java.util.List;
import org.opendaylight.openflowjava.protocol.spi.connection.SwitchConnectionProviderList;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Offers the listener in the form in which OpenFlowPlugin asks for it. */
@Component(service = {}, immediate = true)
public final class OpenFlowListeners {
    private final ServiceRegistration<SwitchConnectionProviderList> registration;

    /** Offers it. */
    @Activate
    public OpenFlowListeners(@Reference final OpenFlowListener listener, final BundleContext bundles) {
        registration = bundles.registerService(SwitchConnectionProviderList.class,
            new SwitchConnectionProviderList(List.of(listener)), null);
    }

    @Deactivate
    void stop() {
        registration.unregister();
    }
}
