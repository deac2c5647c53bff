// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tls;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS with nodes: this member shows its certificate, and takes those of nodes, which have to show one. Files that were
 * replaced are read again at the next handshake; while they do not belong together, what they had before is used. Safe
 * for all threads.
 */
public final class PeerTls {
    private static final Logger LOG = LoggerFactory.getLogger(PeerTls.class);
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
    /** Those that encrypt and authenticate in one, with keys of their own for each connection. */
    private static final Pattern CIPHERS = Pattern.compile("TLS_(ECDHE_.*_)?(AES_.*_GCM|CHACHA20)_.*");
    /** Names of nodes whose certificate is remembered; each of them has a certificate of ours. */
    private static final int MOST_NODES = 10_000;

    private final TlsFiles files;
    private final Map<String, PeerCertificate> nodes = new TreeMap<>();
    private Credentials credentials;
    private SSLContext context;
    private List<Object> stamp;
    private String trouble = "";

    /**
     * Reads the files.
     *
     * @throws IllegalArgumentException if they cannot be used, with the file and the reason
     */
    public PeerTls(final TlsFiles files) {
        this.files = requireNonNull(files);
        try {
            stamp = files.stamp();
            credentials = Credentials.read(files);
            context = context(credentials);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("certificates of this member: " + e, e);
        }
        LOG.info("This is {}, with a certificate until {}", credentials.own(), credentials.own().end());
    }

    /** An engine for the connection of a node. */
    public SSLEngine server() {
        final SSLEngine engine = currentContext().createSSLEngine();
        engine.setUseClientMode(false);
        engine.setNeedClientAuth(true);
        engine.setEnabledProtocols(PROTOCOLS);
        engine.setEnabledCipherSuites(Stream.of(engine.getEnabledCipherSuites())
            .filter(suite -> CIPHERS.matcher(suite).matches()).toArray(String[]::new));
        return engine;
    }

    /** Whom this member's certificate is for. */
    public PeerCertificate own() {
        return current().own();
    }

    /** This member's certificate, and the last one that each node has shown. */
    public List<PeerCertificate> certificates() {
        final List<PeerCertificate> all = new ArrayList<>(List.of(own()));
        synchronized (nodes) {
            all.addAll(nodes.values());
        }
        return all;
    }

    /** This member's key and certificate in a key store of the form PKCS 12. */
    public byte[] pkcs12(final char[] password) throws GeneralSecurityException, IOException {
        final X509ExtendedKeyManager keys = current().keys();
        final KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(OneKey.ALIAS, keys.getPrivateKey(OneKey.ALIAS), password,
            keys.getCertificateChain(OneKey.ALIAS));
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        store.store(bytes, password);
        return bytes.toByteArray();
    }

    /** The key that this member shows in a handshake that begins now. */
    X509ExtendedKeyManager keys() {
        return current().keys();
    }

    /**
     * What it takes in a handshake that begins now.
     *
     * @param shown is told of the certificate of the node, if it is taken, on the thread of the handshake
     */
    X509ExtendedTrustManager trust(final Consumer<ShownCertificate> shown) {
        return new NodeTrust(current().trust(), certificate -> {
            remember(certificate);
            shown.accept(certificate);
        });
    }

    /**
     * Who is at the other end of a connection whose handshake is over.
     *
     * @throws CertificateException if its certificate has ended or was revoked since, or it has shown none
     */
    public PeerCertificate peer(final SSLEngine engine) throws CertificateException {
        try {
            final X509Certificate[] chain = List.of(engine.getSession().getPeerCertificates()).stream()
                .map(X509Certificate.class::cast).toArray(X509Certificate[]::new);
            final ShownCertificate shown = new ShownCertificate(PeerCertificate.of(chain[0]), List.of(chain));
            check(shown);
            return shown.owner();
        } catch (SSLPeerUnverifiedException e) {
            throw new CertificateException("it has shown no certificate", e);
        }
    }

    /**
     * Checks a certificate again that was shown before.
     *
     * @throws CertificateException if it has ended or was revoked since
     */
    public void check(final ShownCertificate shown) throws CertificateException {
        current().trust().checkClientTrusted(shown.chain().toArray(X509Certificate[]::new),
            shown.chain().get(0).getPublicKey().getAlgorithm());
    }

    private void remember(final ShownCertificate shown) {
        final PeerCertificate peer = shown.owner();
        synchronized (nodes) {
            if (nodes.size() < MOST_NODES || nodes.containsKey(peer.name())) {
                nodes.put(peer.name(), peer);
            }
        }
    }

    private SSLContext context(final Credentials made) throws GeneralSecurityException {
        final SSLContext result = SSLContext.getInstance("TLS");
        result.init(new KeyManager[] {made.keys()}, new TrustManager[] {new NodeTrust(made.trust(), this::remember)},
            null);
        // A session that is resumed is not checked again, and its certificate may have ended.
        result.getServerSessionContext().setSessionTimeout(1);
        return result;
    }

    private synchronized SSLContext currentContext() {
        current();
        return context;
    }

    private synchronized Credentials current() {
        try {
            final List<Object> now = files.stamp();
            if (!now.equals(stamp)) {
                final Credentials read = Credentials.read(files);
                context = context(read);
                credentials = read;
                stamp = now;
                trouble = "";
                LOG.info("Certificates were read again: this is {} until {}", credentials.own(),
                    credentials.own().end());
            }
        } catch (IOException | GeneralSecurityException e) {
            if (!e.toString().equals(trouble)) {
                trouble = e.toString();
                LOG.warn("New certificates cannot be used, those before are: {}", trouble);
            }
        }
        return credentials;
    }
}
