// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tls;

import static java.util.Objects.requireNonNull;

import java.security.cert.X509Certificate;
import java.util.List;

/**
 * What a peer has shown in a handshake that it has passed.
 *
 * @param owner whom the certificate is for
 * @param chain the certificate, and those that lead to the authority
 */
public record ShownCertificate(PeerCertificate owner, List<X509Certificate> chain) {
    /** Checks what is given. */
    public ShownCertificate {
        requireNonNull(owner);
        chain = List.copyOf(chain);
    }
}
