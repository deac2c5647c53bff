// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import org.opendaylight.infrautils.diagstatus.DiagStatusService;
import org.opendaylight.openflowjava.protocol.api.connection.ConnectionConfiguration;
import org.opendaylight.openflowjava.protocol.api.connection.SwitchConnectionHandler;
import org.opendaylight.openflowjava.protocol.impl.core.SwitchConnectionProviderImpl;
import org.opendaylight.openflowjava.protocol.spi.connection.SwitchConnectionProvider;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.Designate;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/**
 * Where OpenFlowPlugin takes switches: its own listener, but each connection by TLS is bound to the certificate that it
 * has shown. Stands in the place of the two listeners that OpenDaylight makes (openflowjava-blueprint-config), whose
 * bundle is not installed (karaf/pom.xml). Safe for all threads.
 */
@Component(service = {OpenFlowListener.class, SwitchConnectionProvider.class}, immediate = true,
    configurationPid = "io.penstock",
    // Parts of the plugin look for one listener of each name.
    property = {"type=openflow-switch-connection-provider-default-impl",
        "type=openflow-switch-connection-provider-legacy-impl"})
@Designate(ocd = OpenFlowListener.Settings.class)
public final class OpenFlowListener extends SwitchConnectionProviderImpl {
    private final SwitchIdentities identities = new SwitchIdentities();
    private final boolean byTls;

    /** Settings of the listener. A dollar sign between underscores stands for a dash. */
    @ObjectClassDefinition(name = "Penstock OpenFlow")
    public @interface Settings {
        /** Address on which to take switches. */
        @AttributeDefinition
        String openflow$_$listen$_$address() default "127.0.0.1";

        /** TCP port on which to take switches. */
        @AttributeDefinition
        int openflow$_$listen$_$port() default 6653;

        /** PEM file with the certificate of this member; switches connect in plain text when empty. */
        @AttributeDefinition
        String tls$_$certificate() default "";
    }

    /**
     * Makes the listener; OpenFlowPlugin opens the port.
     *
     * @throws IllegalArgumentException if the address is none
     */
    @Activate
    public OpenFlowListener(@Reference final DiagStatusService status, final Settings settings) {
        this(status, ListenerConfiguration.of(settings.openflow$_$listen$_$address(),
            settings.openflow$_$listen$_$port(), !settings.tls$_$certificate().isEmpty()));
    }

    OpenFlowListener(final DiagStatusService status, final ConnectionConfiguration configuration) {
        super(status, configuration);
        byTls = configuration.getTlsConfiguration() != null;
    }

    /** Who the switches are that connect here. */
    SwitchIdentities identities() {
        return identities;
    }

    @Override
    public void setSwitchConnectionHandler(final SwitchConnectionHandler handler) {
        super.setSwitchConnectionHandler(identities.guard(handler, byTls));
    }

    @Deactivate
    @Override
    public void close() {
        super.close();
    }
}
