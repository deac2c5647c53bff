// SPDX-License-Identifier: Apache-2.0
package io.penstock.page;

import java.io.IOException;
import javax.servlet.ServletException;
import org.opendaylight.aaa.web.ServletDetails;
import org.opendaylight.aaa.web.WebContext;
import org.opendaylight.aaa.web.WebServer;
import org.opendaylight.yangtools.concepts.Registration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * Puts the page at {@code /ui/} of OpenDaylight's web server. It asks for no login: its files hold no data, and the
 * login form is one of them.
 */
@Component(service = {})
public final class PagePath implements AutoCloseable {
    static final String PATH = "/ui";

    private final Registration context;

    /**
     * Begins to serve.
     *
     * @throws IOException if the bundle was built without the page
     * @throws ServletException if the web server does not take it
     */
    @Activate
    public PagePath(@Reference final WebServer server) throws IOException, ServletException {
        context = server.registerWebContext(WebContext.builder().name("Penstock's page").contextPath(PATH)
            .supportsSessions(false).addServlet(ServletDetails.builder().servlet(new PageServlet(Assets.load()))
                .name("page").addUrlPattern("/*").build()).build());
    }

    @Deactivate
    @Override
    public void close() {
        context.close();
    }
}
