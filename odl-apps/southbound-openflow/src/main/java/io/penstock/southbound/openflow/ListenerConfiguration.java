// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opendaylight.openflowjava.protocol.api.connection.ConnectionConfiguration;
import org.opendaylight.openflowjava.protocol.api.connection.ThreadConfiguration;
import org.opendaylight.openflowjava.protocol.api.connection.TlsConfiguration;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.config.rev140630.KeystoreType;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.config.rev140630.PathType;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.config.rev140630.TransportProtocol;

/** How OpenFlowPlugin listens. */
record ListenerConfiguration(InetAddress address, int port, @Nullable TlsConfiguration tls)
        implements ConnectionConfiguration {
    /** A key store without entries, in the run directory: PeerTlsProvider has the certificates. The same as EMPTY_STORE
     * in karaf/penstock_controller/trust.py. */
    private static final String EMPTY_STORE = "etc/no-certificates.jks";
    private static final String STORE_PASSWORD = "nothing";
    private static final long IDLE_MILLISECONDS = 15_000;
    private static final int QUEUE = 1024;

    static ListenerConfiguration of(final String address, final int port, final boolean byTls) {
        try {
            return new ListenerConfiguration(InetAddress.getByName(address), port,
                byTls ? new EmptyStores(EMPTY_STORE) : null);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(address + " is no address", e);
        }
    }

    @Override
    public InetAddress getAddress() {
        return address;
    }

    @Override
    public int getPort() {
        return port;
    }

    @Override
    public Object getTransferProtocol() {
        return tls == null ? TransportProtocol.TCP : TransportProtocol.TLS;
    }

    @Override
    public @Nullable TlsConfiguration getTlsConfiguration() {
        return tls;
    }

    @Override
    public long getSwitchIdleTimeout() {
        return IDLE_MILLISECONDS;
    }

    @Override
    public @Nullable Object getSslContext() {
        return null;
    }

    @Override
    public @Nullable ThreadConfiguration getThreadConfiguration() {
        return null;
    }

    @Override
    public boolean useBarrier() {
        return true;
    }

    @Override
    public boolean isGroupAddModEnabled() {
        return false;
    }

    @Override
    public int getChannelOutboundQueueSize() {
        return QUEUE;
    }

    /** Stores without entries. */
    record EmptyStores(String file) implements TlsConfiguration {
        @Override
        public String getTlsKeystore() {
            return file;
        }

        @Override
        public KeystoreType getTlsKeystoreType() {
            return KeystoreType.JKS;
        }

        @Override
        public PathType getTlsKeystorePathType() {
            return PathType.PATH;
        }

        @Override
        public String getTlsTruststore() {
            return file;
        }

        @Override
        public KeystoreType getTlsTruststoreType() {
            return KeystoreType.JKS;
        }

        @Override
        public PathType getTlsTruststorePathType() {
            return PathType.PATH;
        }

        @Override
        public String getKeystorePassword() {
            return STORE_PASSWORD;
        }

        @Override
        public String getCertificatePassword() {
            return STORE_PASSWORD;
        }

        @Override
        public String getTruststorePassword() {
            return STORE_PASSWORD;
        }

        @Override
        public List<String> getCipherSuites() {
            return List.of();
        }
    }
}
