// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import io.penstock.base.tls.ShownCertificate;
import java.time.Duration;
import java.util.Optional;
import org.opendaylight.openflowjava.protocol.api.connection.ConnectionAdapter;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.GetFeaturesInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.GetFeaturesOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.system.rev130927.DisconnectEventBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.system.rev130927.SystemNotificationsListener;
import org.opendaylight.yangtools.yang.common.ErrorType;
import org.opendaylight.yangtools.yang.common.RpcResult;
import org.opendaylight.yangtools.yang.common.RpcResultBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection whose switch is judged when it answers which one it is: OpenFlowPlugin gets that answer only if it is
 * believed. Safe for all threads.
 */
final class IdentifiedConnection extends ForwardingConnection {
    private static final Logger LOG = LoggerFactory.getLogger(IdentifiedConnection.class);

    private final SwitchIdentities identities;
    private final boolean byTls;
    private final long begun = System.nanoTime();
    private volatile Optional<ShownCertificate> shown = Optional.empty();
    private volatile Optional<SwitchId> id = Optional.empty();
    private volatile Optional<SystemNotificationsListener> system = Optional.empty();

    IdentifiedConnection(final ConnectionAdapter connection, final SwitchIdentities identities, final boolean byTls) {
        super(connection);
        this.identities = requireNonNull(identities);
        this.byTls = byTls;
    }

    /** Whether it has to show a certificate. */
    boolean isByTls() {
        return byTls;
    }

    /** For how long it has been there. */
    Duration age() {
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    /** The certificate of the other end, from when its handshake is over. */
    Optional<ShownCertificate> shown() {
        return shown;
    }

    void show(final ShownCertificate certificate) {
        shown = Optional.of(certificate);
    }

    /** The switch that it was believed to be. */
    Optional<SwitchId> id() {
        return id;
    }

    @Override
    public void setSystemListener(final SystemNotificationsListener listener) {
        system = Optional.of(listener);
        super.setSystemListener(listener);
    }

    @Override
    public ListenableFuture<RpcResult<GetFeaturesOutput>> getFeatures(final GetFeaturesInput input) {
        return Futures.transform(super.getFeatures(input), this::judge, MoreExecutors.directExecutor());
    }

    private RpcResult<GetFeaturesOutput> judge(final RpcResult<GetFeaturesOutput> answer) {
        if (!answer.isSuccessful()) {
            return answer;
        }
        final SwitchId said = new SwitchId(answer.getResult().getDatapathId().longValue());
        id = Optional.of(said);
        return identities.enter(this, said).map(reason -> {
            // All switches come each second while a member starts: no line for each of them.
            if (identities.areKnown()) {
                LOG.warn("OpenFlow peer {} says that it is {}, and is refused: {}", getRemoteAddress(), said, reason);
            }
            disconnect();
            return RpcResultBuilder.<GetFeaturesOutput>failed().withError(ErrorType.APPLICATION, reason).build();
        }).orElse(answer);
    }

    /** Ends it, and has OpenFlowPlugin know: it does not hear of the end of a connection that it did not end. */
    void cut(final String reason) {
        LOG.warn("OpenFlow peer {} is cut off: {}", getRemoteAddress(), reason);
        system.ifPresent(listener -> listener.onDisconnectEvent(new DisconnectEventBuilder().setInfo(reason).build()));
        disconnect();
    }
}
