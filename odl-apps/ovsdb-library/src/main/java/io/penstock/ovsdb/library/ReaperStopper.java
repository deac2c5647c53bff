// SPDX-License-Identifier: Apache-2.0
package io.penstock.ovsdb.library;

import org.opendaylight.ovsdb.lib.jsonrpc.JsonRpcEndpoint;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/**
 * Ends the library's static request timer with the bundle, so that a refresh leaves neither its threads nor its class
 * loader behind. The library never restarts that timer: this must happen only when its classes go away.
 */
public final class ReaperStopper implements BundleActivator {
    @Override
    public void start(final BundleContext context) {
        // The timer starts with the first use of the library.
    }

    @Override
    public void stop(final BundleContext context) {
        JsonRpcEndpoint.close();
    }
}
