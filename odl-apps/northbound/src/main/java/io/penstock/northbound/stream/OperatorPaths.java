// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import io.penstock.access.login.Logins;
import io.penstock.metrics.Metrics;
import javax.servlet.ServletException;
import org.opendaylight.aaa.web.ServletDetails;
import org.opendaylight.aaa.web.WebContext;
import org.opendaylight.aaa.web.WebContextSecurer;
import org.opendaylight.aaa.web.WebServer;
import org.opendaylight.yangtools.concepts.Registration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * Puts the stream of events at {@code /penstock/events}, and the metrics at {@code /penstock/metrics}, of
 * OpenDaylight's web server, behind the same users and passwords as RESTCONF. A component of its own: the web server
 * may come and go.
 */
@Component(service = {})
public final class OperatorPaths implements AutoCloseable {
    private final EventServlet servlet;
    private final Registration context;

    /** Begins to serve. */
    @Activate
    public OperatorPaths(@Reference final EventHub hub, @Reference final WebServer server,
            @Reference final WebContextSecurer users, @Reference final Logins logins,
            @Reference final Metrics metrics) throws ServletException {
        servlet = new EventServlet(hub, new AccessUsers(logins));
        final WebContext.Builder builder = WebContext.builder().name("Penstock").contextPath("/penstock")
            .supportsSessions(false).addServlet(ServletDetails.builder().servlet(servlet)
                .name("events").addUrlPattern("/events").build())
            .addServlet(ServletDetails.builder().servlet(metrics.servlet()).name("metrics").addUrlPattern("/metrics")
                .build());
        users.requireAuthentication(builder, "/*");
        context = server.registerWebContext(builder.build());
    }

    @Deactivate
    @Override
    public void close() {
        // The web server waits for no request that is being served, and ends none.
        servlet.end();
        context.close();
    }
}
