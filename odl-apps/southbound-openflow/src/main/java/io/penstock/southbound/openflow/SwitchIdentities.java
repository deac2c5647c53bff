// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.penstock.base.tasks.TaskThread;
import io.penstock.base.tls.PeerTls;
import io.penstock.base.tls.PeerTlsProvider;
import io.penstock.base.tls.ShownCertificate;
import java.net.InetAddress;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.opendaylight.openflowjava.protocol.api.connection.ConnectionAdapter;
import org.opendaylight.openflowjava.protocol.api.connection.SwitchConnectionHandler;

/**
 * Binds each connection by TLS to the node that its certificate names: a switch that says that it is another node's is
 * refused before OpenFlowPlugin hears of its datapath id, and a connection ends when its certificate does, or is
 * revoked. OpenFlowPlugin makes the trust manager of a connection on the thread on which it has just announced the
 * connection ({@code TcpChannelInitializer.initChannel}, openflowjava 0.16.3); the trust manager is ours, and so it
 * knows whose certificate it sees. While it is not known which switch is whose, or certificates are not there, no
 * switch can connect. Safe for all threads.
 */
final class SwitchIdentities {
    private static final Duration RECHECK = Duration.ofSeconds(3);

    /** The connection that is being made on a thread. */
    private static final ThreadLocal<IdentifiedConnection> MAKING = new ThreadLocal<>();

    /** Those that said which switch they are, and were believed. */
    private final Set<IdentifiedConnection> believed = ConcurrentHashMap.newKeySet();
    private volatile Optional<PeerTls> tls = Optional.empty();
    private volatile Optional<SwitchAdmission> admission = Optional.empty();

    /** Believes certificates as these say, until what is returned is run. */
    Runnable believe(final PeerTls certificates) {
        final Runnable end = PeerTlsProvider.install(certificates, () -> {
            final Optional<IdentifiedConnection> connection = Optional.ofNullable(MAKING.get());
            // The next one on this thread has to be announced first.
            MAKING.remove();
            return connection.map(each -> each::show);
        });
        final TaskThread thread = new TaskThread("penstock-openflow-certificates");
        tls = Optional.of(certificates);
        thread.every(RECHECK, RECHECK, this::look);
        return () -> {
            thread.close();
            end.run();
            tls = Optional.empty();
        };
    }

    /** Begins to ask which node may connect which switch, also of those that are connected. */
    void judgeBy(final SwitchAdmission judge) {
        admission = Optional.of(judge);
        look();
    }

    /** Takes no new connections until there is something to judge them by again. */
    void rest() {
        admission = Optional.empty();
    }

    /** Whether it is known which switch is whose. */
    boolean areKnown() {
        return admission.isPresent();
    }

    /**
     * The same handler, which hears of connections whose switch is who its certificate says alone.
     *
     * @param byTls false for connections in plain text, which have no certificate to be judged by
     */
    SwitchConnectionHandler guard(final SwitchConnectionHandler handler, final boolean byTls) {
        return new SwitchConnectionHandler() {
            @Override
            public void onSwitchConnected(final ConnectionAdapter connection) {
                final IdentifiedConnection identified =
                    new IdentifiedConnection(connection, SwitchIdentities.this, byTls);
                if (byTls) {
                    MAKING.set(identified);
                }
                handler.onSwitchConnected(identified);
            }

            @Override
            public boolean accept(final InetAddress address) {
                return handler.accept(address);
            }
        };
    }

    /** Judges what a switch says that it is; why it is not believed, or empty. */
    Optional<String> enter(final IdentifiedConnection connection, final SwitchId id) {
        if (!connection.isByTls()) {
            believed.add(connection);
            return Optional.empty();
        }
        final Optional<SwitchAdmission> judge = admission;
        final Optional<String> trouble = judge.isEmpty() ? Optional.of("it is not known yet which switch is whose")
            : trouble(connection, id, judge);
        if (trouble.isEmpty()) {
            believed.add(connection);
        }
        return trouble;
    }

    private Optional<String> trouble(final IdentifiedConnection connection, final SwitchId id,
            final Optional<SwitchAdmission> judge) {
        final Optional<ShownCertificate> shown = connection.shown();
        final Optional<PeerTls> certificates = tls;
        if (shown.isEmpty() || certificates.isEmpty()) {
            return Optional.of("it has shown no certificate");
        }
        final ShownCertificate certificate = shown.orElseThrow();
        try {
            certificates.orElseThrow().check(certificate);
        } catch (CertificateException e) {
            return Optional.of("the certificate of " + certificate.owner() + " is good no more: " + e.getMessage());
        }
        return judge.flatMap(each -> each.denies(certificate.owner().name(), id));
    }

    /**
     * Ends connections that OpenFlowPlugin has lost, so that their switches connect again: those of switches that have
     * no connection in use for some time.
     */
    void cutLost(final Predicate<SwitchId> isPresent, final Duration patience) {
        for (final IdentifiedConnection connection : List.copyOf(believed)) {
            if (!connection.isAlive()) {
                believed.remove(connection);
            } else if (connection.id().filter(id -> !isPresent.test(id)).isPresent()
                    && connection.age().compareTo(patience) > 0) {
                believed.remove(connection);
                connection.cut("OpenFlowPlugin does not use it");
            }
        }
    }

    /** Ends the connections that are believed no more. */
    private void look() {
        final Optional<SwitchAdmission> judge = admission;
        for (final IdentifiedConnection connection : List.copyOf(believed)) {
            if (!connection.isAlive()) {
                believed.remove(connection);
                continue;
            }
            connection.id().filter(id -> connection.isByTls()).flatMap(id -> trouble(connection, id, judge))
                .ifPresent(reason -> {
                    believed.remove(connection);
                    connection.cut(reason);
                });
        }
    }
}
