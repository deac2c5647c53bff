// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Takes certificates of nodes alone, and trusts no server. Safe for all threads. */
final class NodeTrust extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager trust;
    private final Consumer<ShownCertificate> seen;

    /**
     * Makes it.
     *
     * @param trust what it takes of certificates of any kind
     * @param seen is told of each certificate of a node that was taken, on the thread of its handshake
     */
    NodeTrust(final X509ExtendedTrustManager trust, final Consumer<ShownCertificate> seen) {
        this.trust = trust;
        this.seen = seen;
    }

    @Override
    public void checkClientTrusted(final X509Certificate[] chain, final String type, final @Nullable SSLEngine engine)
            throws CertificateException {
        trust.checkClientTrusted(chain, type, engine);
        takeNode(chain);
    }

    @Override
    public void checkClientTrusted(final X509Certificate[] chain, final String type, final @Nullable Socket socket)
            throws CertificateException {
        trust.checkClientTrusted(chain, type, socket);
        takeNode(chain);
    }

    @Override
    public void checkClientTrusted(final X509Certificate[] chain, final String type) throws CertificateException {
        trust.checkClientTrusted(chain, type);
        takeNode(chain);
    }

    private void takeNode(final X509Certificate[] chain) throws CertificateException {
        final PeerCertificate peer = PeerCertificate.of(chain[0]);
        if (peer.kind() != PeerCertificate.Kind.NODE) {
            throw new CertificateException("the certificate is that of " + peer + ", not of a node");
        }
        seen.accept(new ShownCertificate(peer, List.of(chain)));
    }

    @Override
    public void checkServerTrusted(final X509Certificate[] chain, final String type, final @Nullable SSLEngine engine)
            throws CertificateException {
        checkServerTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(final X509Certificate[] chain, final String type, final @Nullable Socket socket)
            throws CertificateException {
        checkServerTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(final X509Certificate[] chain, final String type) throws CertificateException {
        throw new CertificateException("nodes serve nothing");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trust.getAcceptedIssuers();
    }
}
