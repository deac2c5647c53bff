// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** Shows the same certificate to all. Safe for all threads. */
final class OneKey extends X509ExtendedKeyManager {
    static final String ALIAS = "member";

    private final PrivateKey key;
    private final X509Certificate[] chain;

    OneKey(final PrivateKey key, final X509Certificate[] chain) {
        this.key = key;
        this.chain = chain;
    }

    private @Nullable String alias(final String... types) {
        return Stream.of(types).anyMatch(type -> key.getAlgorithm().equals(type)) ? ALIAS : null;
    }

    @Override
    public String @Nullable [] getClientAliases(final String type, final Principal @Nullable [] issuers) {
        return alias(type) == null ? null : new String[] {ALIAS};
    }

    @Override
    public @Nullable String chooseClientAlias(final String[] types, final Principal @Nullable [] issuers,
            final @Nullable Socket socket) {
        return alias(types);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(final String[] types, final Principal @Nullable [] issuers,
            final @Nullable SSLEngine engine) {
        return alias(types);
    }

    @Override
    public String @Nullable [] getServerAliases(final String type, final Principal @Nullable [] issuers) {
        return alias(type) == null ? null : new String[] {ALIAS};
    }

    @Override
    public @Nullable String chooseServerAlias(final String type, final Principal @Nullable [] issuers,
            final @Nullable Socket socket) {
        return alias(type);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(final String type, final Principal @Nullable [] issuers,
            final @Nullable SSLEngine engine) {
        return alias(type);
    }

    @Override
    public X509Certificate[] getCertificateChain(final String alias) {
        return chain.clone();
    }

    @Override
    public PrivateKey getPrivateKey(final String alias) {
        return key;
    }
}
