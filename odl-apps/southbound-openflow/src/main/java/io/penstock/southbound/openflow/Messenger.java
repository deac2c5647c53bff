// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.opendaylight.mdsal.binding.api.RpcConsumerRegistry;
import org.opendaylight.yang.gen.v1.urn.opendaylight.experimenter.message.service.rev151020.SendExperimenter;
import org.opendaylight.yang.gen.v1.urn.opendaylight.experimenter.message.service.rev151020.SendExperimenterInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.transaction.rev150304.SendBarrier;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.transaction.rev150304.SendBarrierInputBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeRef;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.Nodes;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.Node;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.NodeKey;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.send.experimenter.input.experimenter.message.of.choice.WireMessageBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.send.experimenter.input.experimenter.message.of.choice.wire.message.WireMessageContentBuilder;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.yang.common.RpcError;
import org.opendaylight.yangtools.yang.common.RpcResult;

/**
 * Sends single messages through OpenFlowPlugin. Messages that one thread sends to one switch keep their order. Safe for
 * all threads; results come on the threads of the connections.
 */
final class Messenger {
    private final SendExperimenter sendExperimenter;
    private final SendBarrier sendBarrier;

    Messenger(final RpcConsumerRegistry rpcs) {
        sendExperimenter = rpcs.getRpc(SendExperimenter.class);
        sendBarrier = rpcs.getRpc(SendBarrier.class);
    }

    /**
     * Sends a message. The switch may refuse it; that it took it is known when it answers, or, for a message without an
     * answer, after the next barrier.
     */
    CompletableFuture<Void> send(final SwitchId target, final byte[] message) {
        return toFuture(target, sendExperimenter.invoke(new SendExperimenterInputBuilder()
            .setNode(node(target))
            .setExperimenterMessageOfChoice(new WireMessageBuilder()
                .setWireMessageContent(new WireMessageContentBuilder().setBytes(message).build())
                .build())
            .build())).thenApply(output -> null);
    }

    /** Done when the switch has worked off all messages that were sent before. */
    CompletableFuture<Void> barrier(final SwitchId target) {
        return toFuture(target, sendBarrier.invoke(new SendBarrierInputBuilder().setNode(node(target)).build()))
            .thenApply(output -> null);
    }

    static NodeRef node(final SwitchId target) {
        return new NodeRef(InstanceIdentifier.builder(Nodes.class)
            .child(Node.class, new NodeKey(new NodeId(target.nodeId())))
            .build());
    }

    /** The result of an RPC, or a {@link SwitchException} with the errors it reports. */
    static <T> CompletableFuture<T> toFuture(final SwitchId target, final ListenableFuture<RpcResult<T>> rpc) {
        final CompletableFuture<T> future = new CompletableFuture<>();
        Futures.addCallback(rpc, new FutureCallback<RpcResult<T>>() {
            @Override
            public void onSuccess(final RpcResult<T> result) {
                if (requireNonNull(result).isSuccessful()) {
                    future.complete(result.getResult());
                } else {
                    future.completeExceptionally(new SwitchException(target + ": " + result.getErrors().stream()
                        .map(RpcError::getMessage).collect(Collectors.joining("; "))));
                }
            }

            @Override
            public void onFailure(final Throwable cause) {
                future.completeExceptionally(new SwitchException(target + ": " + cause.getMessage(), cause));
            }
        }, MoreExecutors.directExecutor());
        return future;
    }
}
