// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import com.google.common.base.Throwables;
import io.netty.handler.ssl.NotSslRecordException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateRevokedException;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** Words for a connection whose handshake fails. Stateless. */
final class TlsFailure {
    private TlsFailure() {
        // Stateless.
    }

    /** The reason, if it is one of TLS. */
    static Optional<String> of(final Throwable error) {
        final List<Throwable> causes = Throwables.getCausalChain(error);
        if (causes.stream().anyMatch(NotSslRecordException.class::isInstance)) {
            // Its message quotes the bytes: every attempt would be a new trouble.
            return Optional.of("does not speak TLS: give its node a certificate, and ssl: as its target");
        }
        return causes.stream().filter(each -> each instanceof SSLException || each instanceof GeneralSecurityException)
            .findFirst().map(TlsFailure::reason);
    }

    /** The reason at the bottom, which names the fault of the certificate. */
    static String reason(final Throwable error) {
        final Throwable root = Throwables.getRootCause(error);
        if (root instanceof CertificateRevokedException) {
            return "TLS failed: its certificate is revoked";
        }
        if (root instanceof CertificateExpiredException) {
            return "TLS failed: its certificate has ended (" + root.getMessage() + ")";
        }
        return "TLS failed: " + (root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage());
    }
}
