// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.ListenableFuture;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.opendaylight.openflowjava.protocol.api.connection.ConnectionAdapter;
import org.opendaylight.openflowjava.protocol.api.connection.ConnectionReadyListener;
import org.opendaylight.openflowjava.protocol.api.connection.OutboundQueueHandler;
import org.opendaylight.openflowjava.protocol.api.connection.OutboundQueueHandlerRegistration;
import org.opendaylight.openflowjava.protocol.api.extensibility.AlienMessageListener;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.BarrierInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.BarrierOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.EchoInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.EchoOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.EchoReplyInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.EchoReplyOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.ExperimenterInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.ExperimenterOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.FlowModInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.FlowModOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.GetAsyncInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.GetAsyncOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.GetConfigInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.GetConfigOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.GetFeaturesInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.GetFeaturesOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.GetQueueConfigInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.GetQueueConfigOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.GroupModInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.GroupModOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.HelloInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.HelloOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.MeterModInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.MeterModOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.MultipartRequestInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.MultipartRequestOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.OpenflowProtocolListener;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.PacketOutInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.PacketOutOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.PortModInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.PortModOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.RoleRequestInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.RoleRequestOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.SetAsyncInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.SetAsyncOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.SetConfigInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.SetConfigOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.TableModInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.TableModOutput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.system.rev130927.SystemNotificationsListener;
import org.opendaylight.yangtools.yang.common.RpcResult;

/** A connection that does what another one does. */
abstract class ForwardingConnection implements ConnectionAdapter {
    private final ConnectionAdapter connection;

    ForwardingConnection(final ConnectionAdapter connection) {
        this.connection = requireNonNull(connection);
    }

    @Override
    public Future<Boolean> disconnect() {
        return connection.disconnect();
    }

    @Override
    public boolean isAlive() {
        return connection.isAlive();
    }

    @Override
    public InetSocketAddress getRemoteAddress() {
        return connection.getRemoteAddress();
    }

    @Override
    public void setMessageListener(final OpenflowProtocolListener listener) {
        connection.setMessageListener(listener);
    }

    @Override
    public void setSystemListener(final SystemNotificationsListener listener) {
        connection.setSystemListener(listener);
    }

    @Override
    public void setAlienMessageListener(final AlienMessageListener listener) {
        connection.setAlienMessageListener(listener);
    }

    @Override
    public void onSwitchCertificateIdentified(final List<X509Certificate> chain) {
        connection.onSwitchCertificateIdentified(chain);
    }

    @Override
    public void setConnectionReadyListener(final ConnectionReadyListener listener) {
        connection.setConnectionReadyListener(listener);
    }

    @Override
    public void setAutoRead(final boolean isOn) {
        connection.setAutoRead(isOn);
    }

    @Override
    public void setPacketInFiltering(final boolean isOn) {
        connection.setPacketInFiltering(isOn);
    }

    @Override
    public void setDatapathId(final BigInteger id) {
        connection.setDatapathId(id);
    }

    @Override
    public void setExecutorService(final ExecutorService threads) {
        connection.setExecutorService(threads);
    }

    @Override
    public void checkListeners() {
        connection.checkListeners();
    }

    @Override
    public void fireConnectionReadyNotification() {
        connection.fireConnectionReadyNotification();
    }

    @Override
    public boolean isAutoRead() {
        return connection.isAutoRead();
    }

    @Override
    public <T extends OutboundQueueHandler> OutboundQueueHandlerRegistration<T> registerOutboundQueueHandler(
            final T handler, final int maxQueueDepth, final long maxBarrierNanos) {
        return connection.registerOutboundQueueHandler(handler, maxQueueDepth, maxBarrierNanos);
    }

    @Override
    public ListenableFuture<RpcResult<GetFeaturesOutput>> getFeatures(final GetFeaturesInput input) {
        return connection.getFeatures(input);
    }

    @Override
    public ListenableFuture<RpcResult<EchoOutput>> echo(final EchoInput input) {
        return connection.echo(input);
    }

    @Override
    public ListenableFuture<RpcResult<EchoReplyOutput>> echoReply(final EchoReplyInput input) {
        return connection.echoReply(input);
    }

    @Override
    public ListenableFuture<RpcResult<HelloOutput>> hello(final HelloInput input) {
        return connection.hello(input);
    }

    @Override
    public ListenableFuture<RpcResult<ExperimenterOutput>> experimenter(final ExperimenterInput input) {
        return connection.experimenter(input);
    }

    @Override
    public ListenableFuture<RpcResult<GetConfigOutput>> getConfig(final GetConfigInput input) {
        return connection.getConfig(input);
    }

    @Override
    public ListenableFuture<RpcResult<SetConfigOutput>> setConfig(final SetConfigInput input) {
        return connection.setConfig(input);
    }

    @Override
    public ListenableFuture<RpcResult<PacketOutOutput>> packetOut(final PacketOutInput input) {
        return connection.packetOut(input);
    }

    @Override
    public ListenableFuture<RpcResult<FlowModOutput>> flowMod(final FlowModInput input) {
        return connection.flowMod(input);
    }

    @Override
    public ListenableFuture<RpcResult<GroupModOutput>> groupMod(final GroupModInput input) {
        return connection.groupMod(input);
    }

    @Override
    public ListenableFuture<RpcResult<PortModOutput>> portMod(final PortModInput input) {
        return connection.portMod(input);
    }

    @Override
    public ListenableFuture<RpcResult<TableModOutput>> tableMod(final TableModInput input) {
        return connection.tableMod(input);
    }

    @Override
    public ListenableFuture<RpcResult<MultipartRequestOutput>> multipartRequest(final MultipartRequestInput input) {
        return connection.multipartRequest(input);
    }

    @Override
    public ListenableFuture<RpcResult<BarrierOutput>> barrier(final BarrierInput input) {
        return connection.barrier(input);
    }

    @Override
    public ListenableFuture<RpcResult<GetQueueConfigOutput>> getQueueConfig(final GetQueueConfigInput input) {
        return connection.getQueueConfig(input);
    }

    @Override
    public ListenableFuture<RpcResult<RoleRequestOutput>> roleRequest(final RoleRequestInput input) {
        return connection.roleRequest(input);
    }

    @Override
    public ListenableFuture<RpcResult<GetAsyncOutput>> getAsync(final GetAsyncInput input) {
        return connection.getAsync(input);
    }

    @Override
    public ListenableFuture<RpcResult<SetAsyncOutput>> setAsync(final SetAsyncInput input) {
        return connection.setAsync(input);
    }

    @Override
    public ListenableFuture<RpcResult<MeterModOutput>> meterMod(final MeterModInput input) {
        return connection.meterMod(input);
    }
}
