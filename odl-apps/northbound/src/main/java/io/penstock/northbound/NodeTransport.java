// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import io.penstock.base.tls.PeerTls;
import io.penstock.base.tls.TlsFiles;
import io.penstock.engine.NodeAdmission;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How nodes connect: by TLS, or in plain text where no other machine can.
 *
 * @param tls empty for plain text
 * @param openflowTarget where bridges find this controller, such as {@code ssl:192.0.2.1:6653}
 */
record NodeTransport(Optional<PeerTls> tls, String openflowTarget) {
    /**
     * Reads the settings.
     *
     * @throws IllegalArgumentException if certificates cannot be used, or plain text would be read by other machines
     */
    static NodeTransport of(final Controller.Settings settings, final NodeAdmission admission) {
        final String openflow = settings.openflow$_$listen$_$address();
        if (settings.tls$_$certificate().isEmpty()) {
            if (admission == NodeAdmission.CONFIGURED) {
                checkPlain(openflow);
                checkPlain(settings.ovsdb$_$listen$_$address());
            }
            return new NodeTransport(Optional.empty(), target("tcp", openflow, settings));
        }
        return new NodeTransport(Optional.of(new PeerTls(new TlsFiles(Path.of(settings.tls$_$certificate()),
            Path.of(settings.tls$_$key()), Path.of(settings.tls$_$ca()), Path.of(settings.tls$_$crl())))),
            target("ssl", openflow, settings));
    }

    private static String target(final String kind, final String address, final Controller.Settings settings) {
        return kind + ":" + address + ":" + settings.openflow$_$listen$_$port();
    }

    private static void checkPlain(final String listenAddress) {
        try {
            final InetAddress address = InetAddress.getByName(listenAddress);
            if (!address.isLoopbackAddress() && !address.isLinkLocalAddress()) {
                throw new IllegalArgumentException("nodes would connect to " + listenAddress + " in plain text: give "
                    + "this member a certificate (docs/trust.md), or listen on a loopback or link-local address");
            }
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(listenAddress + " is no address", e);
        }
    }

    /** Has OpenFlowPlugin take the same certificates, until what is returned is run. */
    Runnable serve(final OpenFlowSouthbound southbound) {
        return tls.map(southbound::believe).orElse(() -> { });
    }
}
