// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tls;

import static java.util.Objects.requireNonNull;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.Provider;
import java.security.Security;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.KeyManagerFactorySpi;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.TrustManagerFactorySpi;
import org.jspecify.annotations.Nullable;

/**
 * Has OpenFlowPlugin take nodes as {@link PeerTls} does. Its SslContextFactory (openflowjava 0.16.3) reads key stores
 * for each connection, knows no lists of revoked certificates, and asks for managers by the algorithm that the security
 * property {@code ssl.KeyManagerFactory.algorithm} names. It is given empty key stores: without this provider no
 * handshake succeeds. Others that read the property have stores with something in them, and get what they would have
 * got without it.
 */
public final class PeerTlsProvider {
    private static final String NAME = "PenstockPeers";
    private static final String PROPERTY = "ssl.KeyManagerFactory.algorithm";

    private PeerTlsProvider() {
        // Stateless.
    }

    /**
     * Serves from now on, until what is returned is run.
     *
     * @param connecting asked, on the thread that makes the managers of a connection, where to put the certificate
     *     that it will show; with no answer the connection cannot be made
     */
    public static Runnable install(final PeerTls tls,
            final Supplier<Optional<Consumer<ShownCertificate>>> connecting) {
        final String before = Security.getProperty(PROPERTY);
        Security.removeProvider(NAME);
        Security.addProvider(new Services(requireNonNull(tls), requireNonNull(connecting), before));
        Security.setProperty(PROPERTY, NAME);
        return () -> {
            Security.setProperty(PROPERTY, before);
            Security.removeProvider(NAME);
        };
    }

    private static final class Services extends Provider {
        private static final long serialVersionUID = 1L;

        Services(final PeerTls tls, final Supplier<Optional<Consumer<ShownCertificate>>> connecting,
                final String other) {
            super(NAME, "1", "Certificates of Penstock's nodes");
            put("KeyManagerFactory", Keys.class, () -> new Keys(new Choice<>(tls::keys, (store, password) -> {
                final KeyManagerFactory factory = KeyManagerFactory.getInstance(other);
                factory.init(store, password);
                return factory.getKeyManagers();
            })));
            put("TrustManagerFactory", Trust.class, () -> new Trust(new Choice<>(
                () -> tls.trust(connecting.get().orElseThrow(() -> new KeyStoreException("no switch connects"))),
                (store, password) -> {
                    final TrustManagerFactory factory = TrustManagerFactory.getInstance(other);
                    factory.init(store);
                    return factory.getTrustManagers();
                })));
        }

        private void put(final String type, final Class<?> made, final Supplier<Object> maker) {
            putService(new Service(this, type, NAME, made.getName(), List.of(), null) {
                @Override
                public Object newInstance(final @Nullable Object parameter) {
                    return maker.get();
                }
            });
        }
    }

    /** Ours for empty stores, those of another provider for others. */
    private record Choice<M>(Ours<M> ours, Others<M> others) {
        @FunctionalInterface
        interface Ours<M> {
            M get() throws GeneralSecurityException;
        }

        @FunctionalInterface
        interface Others<M> {
            M[] of(@Nullable KeyStore store, char @Nullable [] password) throws GeneralSecurityException;
        }

        List<M> of(final @Nullable KeyStore store, final char @Nullable [] password) throws KeyStoreException {
            try {
                return store != null && store.size() == 0 ? List.of(ours.get()) : List.of(others.of(store, password));
            } catch (KeyStoreException e) {
                throw e;
            } catch (GeneralSecurityException e) {
                throw new KeyStoreException(e);
            }
        }
    }

    private static UnsupportedOperationException storesAlone() {
        return new UnsupportedOperationException("takes key stores alone");
    }

    private static final class Keys extends KeyManagerFactorySpi {
        private final Choice<KeyManager> choice;
        private List<KeyManager> managers = List.of();

        Keys(final Choice<KeyManager> choice) {
            this.choice = choice;
        }

        @Override
        protected void engineInit(final @Nullable KeyStore store, final char @Nullable [] password)
                throws KeyStoreException {
            managers = choice.of(store, password);
        }

        @Override
        protected void engineInit(final ManagerFactoryParameters parameters) {
            throw storesAlone();
        }

        @Override
        protected KeyManager[] engineGetKeyManagers() {
            return managers.toArray(KeyManager[]::new);
        }
    }

    private static final class Trust extends TrustManagerFactorySpi {
        private final Choice<TrustManager> choice;
        private List<TrustManager> managers = List.of();

        Trust(final Choice<TrustManager> choice) {
            this.choice = choice;
        }

        @Override
        protected void engineInit(final @Nullable KeyStore store) throws KeyStoreException {
            managers = choice.of(store, null);
        }

        @Override
        protected void engineInit(final ManagerFactoryParameters parameters) {
            throw storesAlone();
        }

        @Override
        protected TrustManager[] engineGetTrustManagers() {
            return managers.toArray(TrustManager[]::new);
        }
    }
}
