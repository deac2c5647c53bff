// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import io.penstock.base.disk.DurableFiles;
import io.penstock.base.tls.PeerCertificate;
import io.penstock.base.tls.PeerTls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The key store from which Jetty serves HTTPS: made at each start by karaf/penstock_controller/layout.py, and again
 * here when this member's certificate is another. Jetty reads it again when it changes. Not for several threads.
 */
final class HttpsStore {
    private static final Logger LOG = LoggerFactory.getLogger(HttpsStore.class);

    private final PeerTls tls;
    private final Path store;
    private final Path password;
    private PeerCertificate stored;

    /** The store in the directory of a controller; the names in it are those of karaf/penstock_controller/trust.py. */
    HttpsStore(final PeerTls tls, final Path base) {
        this.tls = tls;
        store = base.resolve("etc/https.p12");
        password = base.resolve("etc/https.password");
        stored = tls.own();
    }

    /** Writes the store again if the certificate is another, and if there is one: HTTPS may not be asked for. */
    void look() {
        final PeerCertificate own = tls.own();
        if (own.equals(stored) || !Files.exists(store)) {
            return;
        }
        try {
            DurableFiles.replace(store, tls.pkcs12(Files.readString(password).strip().toCharArray()));
            stored = own;
            LOG.info("HTTPS has the certificate until {}", own.end());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("no key store can be made for HTTPS", e);
        }
    }
}
