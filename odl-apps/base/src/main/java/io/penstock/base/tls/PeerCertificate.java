// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tls;

import static java.util.Objects.requireNonNull;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Whom a certificate is for.
 *
 * @param name of the member or node
 * @param end from when on it is good no more
 */
public record PeerCertificate(Kind kind, String name, Instant end) {
    /** What the identity in a certificate begins with. The same as URI in karaf/penstock_pki/names.py. */
    private static final String PREFIX = "penstock://";
    /** Type of a URI among the alternative names, RFC 5280 section 4.2.1.6. */
    private static final int URI = 6;

    /** What is certified. */
    public enum Kind {
        /** A member of the controller. */
        MEMBER,
        /** A node. */
        NODE;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Checks what is given. */
    public PeerCertificate {
        requireNonNull(kind);
        requireNonNull(name);
        requireNonNull(end);
    }

    /**
     * Reads it.
     *
     * @throws CertificateException if it has not exactly one identity of a member or node
     */
    static PeerCertificate of(final X509Certificate certificate) throws CertificateException {
        final Collection<List<?>> names = Optional.ofNullable(certificate.getSubjectAlternativeNames())
            .orElseGet(List::of);
        final List<String> identities = names.stream().filter(each -> Objects.equals(each.get(0), URI))
            .map(each -> String.valueOf(each.get(1))).filter(each -> each.startsWith(PREFIX)).toList();
        if (identities.size() == 1) {
            final String identity = identities.get(0).substring(PREFIX.length());
            for (final Kind kind : Kind.values()) {
                final String begin = kind.word() + '/';
                if (identity.startsWith(begin)) {
                    return new PeerCertificate(kind, identity.substring(begin.length()),
                        certificate.getNotAfter().toInstant());
                }
            }
        }
        throw new CertificateException("the certificate names neither a member nor a node: issue one by "
            + "./penstock pki");
    }

    @Override
    public String toString() {
        return kind.word() + ' ' + name;
    }
}
