// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

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
 * Puts the stream of events at {@code /penstock/events} of OpenDaylight's web server, behind the same users and
 * passwords as RESTCONF. A component of its own: the web server may come and go.
 */
@Component(service = {})
public final class EventPath implements AutoCloseable {
    private final EventServlet servlet;
    private final Registration context;

    /** Begins to serve. */
    @Activate
    public EventPath(@Reference final EventHub hub, @Reference final WebServer server,
            @Reference final WebContextSecurer users) throws ServletException {
        servlet = new EventServlet(hub, new ShiroUsers());
        final WebContext.Builder builder = WebContext.builder().name("Penstock's events").contextPath("/penstock")
            .supportsSessions(false).addServlet(ServletDetails.builder().servlet(servlet)
                .name("events").addUrlPattern("/events").build());
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
