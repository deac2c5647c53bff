// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.web;

import io.penstock.access.audit.AuditLog;
import io.penstock.access.audit.AuditSettings;
import io.penstock.access.audit.Changed;
import io.penstock.access.login.Logins;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import javax.servlet.Filter;
import org.opendaylight.aaa.web.FilterDetails;
import org.opendaylight.aaa.web.WebContext;
import org.opendaylight.aaa.web.WebContextSecurer;
import org.opendaylight.mdsal.dom.api.DOMDataBroker;
import org.opendaylight.mdsal.dom.api.DOMSchemaService;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.metatype.annotations.Designate;

/**
 * Puts {@link AccessFilter} in front of each servlet that asks for authentication, as RESTCONF does, in the place of
 * AAA's Shiro, and of those that ask for none ({@code /diagstatus}). RESTCONF does not start without it.
 */
@Component(service = WebContextSecurer.class, immediate = true, configurationPid = "io.penstock")
@Designate(ocd = AuditSettings.class)
public final class Gate implements WebContextSecurer, AutoCloseable {
    private final AuditLog audit;
    private final AccessFilter filter;
    private final ServiceRegistration<Filter> others;

    /** Opens the audit log; where that fails, changes are refused until it can be written. */
    @Activate
    public Gate(@Reference final Logins logins, @Reference final DOMDataBroker broker,
            @Reference final DOMSchemaService models, final BundleContext bundles, final AuditSettings settings) {
        audit = new AuditLog(Path.of(bundles.getProperty("karaf.base")).resolve(settings.audit$_$log()),
            settings.member(), Clock.systemUTC());
        audit.open();
        filter = new AccessFilter(logins, audit, new Changed(broker, models::getGlobalContext));
        final Map<String, Object> properties = Map.of("osgi.http.whiteboard.filter.pattern", "/*",
            "osgi.http.whiteboard.filter.name", "Penstock's access",
            "osgi.http.whiteboard.filter.asyncSupported", true,
            "osgi.http.whiteboard.context.select", "(osgi.http.whiteboard.context.name=default)",
            "service.ranking", Integer.MAX_VALUE);
        others = bundles.registerService(Filter.class, filter, FrameworkUtil.asDictionary(properties));
    }

    @Override
    public void requireAuthentication(final WebContext.Builder context, final boolean asyncSupported,
            final String... patterns) {
        final FilterDetails.Builder details = FilterDetails.builder().filter(filter).name("Penstock's access")
            .asyncSupported(asyncSupported);
        for (final String pattern : patterns) {
            details.addUrlPattern(pattern);
        }
        context.addFilter(details.build());
    }

    @Deactivate
    @Override
    public void close() {
        others.unregister();
        audit.close();
    }
}
