// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.rest;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import io.penstock.operations.Operations;
import io.penstock.testkit.Await;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.binding.api.RpcProviderService;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.Flows;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.FlowsInputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.Leases;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.LeasesInputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.WaitApplied;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.WaitAppliedInputBuilder;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.binding.Rpc;
import org.opendaylight.yangtools.yang.common.ErrorTag;
import org.opendaylight.yangtools.yang.common.RpcError;
import org.opendaylight.yangtools.yang.common.RpcResult;
import org.opendaylight.yangtools.yang.common.Uint32;

/** The RPCs on the threads of the product, of an edge whose switches are slow. */
class OperationsRpcsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Map<Class<?>, Rpc<?, ?>> registered = new ConcurrentHashMap<>();
    private final AtomicInteger reading = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final CountDownLatch answered = new CountDownLatch(1);
    private final RpcThreads threads = new RpcThreads();
    private final Registration rpcs = new OperationsRpcs(stub(Operations.class, this::operate), threads)
        .register(stub(RpcProviderService.class, this::register));

    private interface Call {
        Object of(String method, Object... arguments) throws InterruptedException;
    }

    private <T> T stub(final Class<T> type, final Call call) {
        return type.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {type},
            (proxy, method, arguments) -> call.of(method.getName(), arguments)));
    }

    private Object register(final String method, final Object... arguments) {
        final Rpc<?, ?> rpc = (Rpc<?, ?>) arguments[0];
        registered.put(rpc.implementedInterface(), rpc);
        return (Registration) () -> { };
    }

    private Object operate(final String method, final Object... arguments) throws InterruptedException {
        if (method.equals("applied")) {
            return new CompletableFuture<>();
        }
        if (method.equals("flows")) {
            most.accumulateAndGet(reading.incrementAndGet(), Math::max);
            assertThat(answered.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            reading.decrementAndGet();
        }
        return List.of();
    }

    private <R extends Rpc<?, ?>> R rpc(final Class<R> type) {
        return type.cast(requireNonNull(registered.get(type)));
    }

    @AfterEach
    void close() {
        answered.countDown();
        rpcs.close();
        threads.close();
    }

    @Test
    void eachRpcOfTheModelIsRegistered() {
        final List<String> modelled = BindingRuntimeHelpers.createEffectiveModel(Flows.class)
            .findModules("penstock-operations").iterator().next().getRpcs().stream()
            .map(rpc -> rpc.getQName().getLocalName()).toList();
        assertThat(registered.keySet()).extracting(type -> type.getSimpleName().replaceAll("(?<=.)(?=[A-Z])", "-")
            .toLowerCase(Locale.ROOT)).containsExactlyInAnyOrderElementsOf(modelled);
    }

    @Test
    void fewReadSwitchesAtOnceAndFewWait() throws Exception {
        final List<ListenableFuture<? extends RpcResult<?>>> taken = new ArrayList<>();
        for (int index = 0; index < RpcThreads.READERS + RpcThreads.WAITING; index++) {
            taken.add(rpc(Flows.class).invoke(new FlowsInputBuilder().build()));
        }
        Await.until("readers", PATIENCE, () -> reading.get() == RpcThreads.READERS);
        final RpcError refused = Futures.getDone(rpc(Flows.class).invoke(new FlowsInputBuilder().build()))
            .getErrors().iterator().next();
        assertThat(refused.getTag()).isEqualTo(ErrorTag.RESOURCE_DENIED);
        assertThat(refused.getMessage()).isEqualTo("other requests are being answered; try again");
        assertThat(taken).noneMatch(ListenableFuture::isDone);
        final ListenableFuture<?>[] waiting = new ListenableFuture<?>[2 * RpcThreads.WAITING];
        Arrays.setAll(waiting, index -> rpc(WaitApplied.class).invoke(
            new WaitAppliedInputBuilder().setTimeoutMilliseconds(Uint32.ONE).build()));
        assertThat(waiting).as("wait without a thread").noneMatch(ListenableFuture::isDone);
        assertThat(rpc(Leases.class).invoke(new LeasesInputBuilder().build()).get(PATIENCE.toSeconds(),
            TimeUnit.SECONDS).isSuccessful()).as("reads no switch").isTrue();
        answered.countDown();
        for (final ListenableFuture<? extends RpcResult<?>> each : taken) {
            assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).isSuccessful()).isTrue();
        }
        assertThat(most).hasValue(RpcThreads.READERS);
    }
}
