// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CRL;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CRL;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * What the files of a member have had at one moment: all of it belongs together. Immutable.
 *
 * @param own whom the certificate is for
 * @param keys this member's key and certificate
 * @param trust takes certificates that an authority of ours has signed, that have not ended and are not revoked
 */
record Credentials(PeerCertificate own, X509ExtendedKeyManager keys, X509ExtendedTrustManager trust) {
    private static final String PKIX = "PKIX";
    private static final String KEY_BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String KEY_END = "-----END PRIVATE KEY-----";

    /**
     * Reads the files.
     *
     * @throws GeneralSecurityException if they do not belong together, or one has something else
     */
    static Credentials read(final TlsFiles files) throws IOException, GeneralSecurityException {
        final CertificateFactory factory = CertificateFactory.getInstance("X.509");
        final List<X509Certificate> chain = certificates(factory, files.certificate());
        final PrivateKey key = key(files.key(), chain.get(0));
        final Set<TrustAnchor> anchors = certificates(factory, files.authority()).stream()
            .map(authority -> new TrustAnchor(authority, null)).collect(Collectors.toSet());
        final List<X509CRL> revoked = lists(factory, files.revoked());
        for (final TrustAnchor anchor : anchors) {
            revokedBy(anchor.getTrustedCert(), revoked, files.revoked());
        }
        final PeerCertificate own = PeerCertificate.of(chain.get(0));
        if (own.kind() != PeerCertificate.Kind.MEMBER) {
            throw new CertificateException(files.certificate() + ": is that of " + own + ", not of a member");
        }
        return new Credentials(own, new OneKey(key, chain.toArray(X509Certificate[]::new)), trust(anchors, revoked));
    }

    private static List<X509Certificate> certificates(final CertificateFactory factory, final Path file)
            throws IOException, CertificateException {
        final Collection<?> read = factory.generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)));
        if (read.isEmpty()) {
            throw new CertificateException(file + ": has no certificate");
        }
        return read.stream().map(X509Certificate.class::cast).toList();
    }

    private static List<X509CRL> lists(final CertificateFactory factory, final Path file)
            throws IOException, GeneralSecurityException {
        final Collection<? extends CRL> read =
            factory.generateCRLs(new ByteArrayInputStream(Files.readAllBytes(file)));
        return read.stream().map(X509CRL.class::cast).toList();
    }

    /** Without its list nothing that an authority has signed would be taken, without a reason that is told. */
    private static void revokedBy(final X509Certificate authority, final List<X509CRL> lists, final Path file)
            throws GeneralSecurityException {
        for (final X509CRL list : lists) {
            if (list.getIssuerX500Principal().equals(authority.getSubjectX500Principal())) {
                list.verify(authority.getPublicKey());
                return;
            }
        }
        throw new CertificateException(file + ": has no list of " + authority.getSubjectX500Principal());
    }

    private static PrivateKey key(final Path file, final X509Certificate certificate)
            throws IOException, GeneralSecurityException {
        final String text = Files.readString(file, StandardCharsets.US_ASCII);
        final int begin = text.indexOf(KEY_BEGIN);
        final int end = text.indexOf(KEY_END);
        if (begin < 0 || end < begin) {
            throw new GeneralSecurityException(file + ": has no private key in the form PKCS 8");
        }
        final byte[] bytes;
        try {
            bytes = Base64.getMimeDecoder().decode(text.substring(begin + KEY_BEGIN.length(), end));
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException(file + ": has no private key in the form PKCS 8", e);
        }
        final String algorithm = certificate.getPublicKey().getAlgorithm();
        final PrivateKey key = KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
        final Signature signer = Signature.getInstance("EC".equals(algorithm) ? "SHA256withECDSA" : "SHA256withRSA");
        signer.initSign(key);
        signer.update(bytes);
        final byte[] signature = signer.sign();
        signer.initVerify(certificate.getPublicKey());
        signer.update(bytes);
        if (!signer.verify(signature)) {
            throw new GeneralSecurityException(file + ": is not the key of the certificate");
        }
        return key;
    }

    private static X509ExtendedTrustManager trust(final Set<TrustAnchor> anchors, final List<X509CRL> revoked)
            throws GeneralSecurityException {
        final PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, new X509CertSelector());
        parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(revoked)));
        final PKIXRevocationChecker checker =
            (PKIXRevocationChecker) CertPathBuilder.getInstance(PKIX).getRevocationChecker();
        checker.setOptions(EnumSet.of(PKIXRevocationChecker.Option.PREFER_CRLS,
            PKIXRevocationChecker.Option.NO_FALLBACK));
        parameters.addCertPathChecker(checker);
        parameters.setRevocationEnabled(true);
        final TrustManagerFactory factory = TrustManagerFactory.getInstance(PKIX);
        factory.init(new CertPathTrustManagerParameters(parameters));
        return Stream.of(factory.getTrustManagers()).filter(X509ExtendedTrustManager.class::isInstance)
            .map(X509ExtendedTrustManager.class::cast).findFirst().orElseThrow();
    }
}
