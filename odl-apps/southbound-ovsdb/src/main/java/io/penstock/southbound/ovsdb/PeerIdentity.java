// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import io.penstock.base.tls.PeerCertificate;
import io.penstock.base.tls.PeerTls;
import java.security.cert.CertificateException;
import java.util.Optional;
import javax.net.ssl.SSLEngine;

/**
 * Who a connected peer is by its certificate. Judged again each time: a list of revoked certificates may be new.
 *
 * @param engine of the connection, whose handshake is over
 */
record PeerIdentity(PeerTls tls, SSLEngine engine) {
    /** Why its certificate is no good any more; empty while it is. */
    Optional<String> trouble() {
        try {
            tls.peer(engine);
            return Optional.empty();
        } catch (CertificateException e) {
            return Optional.of(TlsFailure.reason(e));
        }
    }

    /** Why the peer is not the node of this name; empty if it is. */
    Optional<String> denies(final String node) {
        try {
            final PeerCertificate peer = tls.peer(engine);
            return peer.name().equals(node) ? Optional.empty()
                : Optional.of("its certificate is that of " + peer + ", and it announces itself as node " + node);
        } catch (CertificateException e) {
            return Optional.of(TlsFailure.reason(e));
        }
    }
}
