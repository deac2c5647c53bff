// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.rest;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.ListenableFuture;
import io.penstock.operations.Operations;
import io.penstock.operations.PoolChange;
import io.penstock.operations.TraceQuestion;
import io.penstock.operations.WhyQuestion;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.opendaylight.mdsal.binding.api.RpcProviderService;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.Capture;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.ChainTrace;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.ChainTraceInput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.ChainTraceOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.DhcpMessages;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.Flows;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.LearnedHosts;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.LeaseRelease;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.LeaseReleaseInput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.LeaseReleaseOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.LeaseReleaseOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.Leases;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.Limits;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.NatPreview;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.NatPreviewInput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.NatUsage;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.NodeChoice;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.PortStatistics;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.Resync;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.Status;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.Verify;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.WaitApplied;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.WaitAppliedInput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.WaitAppliedOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.Why;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.WhyInput;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.common.RpcResult;

/** The RPCs. Those that read switches run a few at a time; those that wait without a thread are not counted. */
public final class OperationsRpcs {
    private final Operations operations;
    private final RpcThreads threads;

    /** RPCs that are answered on these threads, which may block. */
    public OperationsRpcs(final Operations operations, final RpcThreads threads) {
        this.operations = requireNonNull(operations);
        this.threads = requireNonNull(threads);
    }

    /** Makes the RPCs available until the registration is closed. */
    public Registration register(final RpcProviderService provider) {
        final Status status = input -> read(() -> OperationsWriter.status(operations.status()));
        final Verify verify = input -> read(() -> OperationsWriter.verify(operations.verify(node(input))));
        final Resync resync = input -> read(() -> OperationsWriter.resync(operations.resync(node(input))));
        final Flows flows = input -> read(() -> OperationsWriter.flows(
            operations.flows(node(input), Optional.ofNullable(input.getTenant()),
                Boolean.TRUE.equals(input.getDropsOnly()))));
        final LearnedHosts learnedHosts = input -> read(() -> OperationsWriter.learnedHosts(
            operations.learnedHosts(given("tenant", input.getTenant()))));
        final PortStatistics portStatistics = input -> read(() -> PortsWriter.portStatistics(
            operations.portStatistics(given("node", input.getNode()), Optional.ofNullable(input.getPort()))));
        final Capture capture = input -> answer(() -> PortsWriter.capturePlace(
            operations.capturePlace(given("tenant", input.getTenant()), Optional.ofNullable(input.getAttachment()))));
        final Limits limits = input -> read(() -> OperationsWriter.limits(
            operations.limits(node(input), Optional.ofNullable(input.getTenant()))));
        final Leases leases = input -> answer(() ->
            OperationsWriter.leases(operations.leases(Optional.ofNullable(input.getTenant()))));
        final DhcpMessages dhcpMessages = input -> answer(() ->
            OperationsWriter.dhcpMessages(operations.dhcpMessages(Optional.ofNullable(input.getTenant()))));
        final LeaseRelease leaseRelease = input -> answer(() -> release(input));
        final NatUsage natUsage = input -> answer(() -> OperationsWriter.natUsage(operations.natUsage()));
        final NatPreview natPreview =
            input -> read(() -> OperationsWriter.natPreview(operations.natPreview(change(input))));
        final Why why = input -> read(() -> WhyWriter.why(operations.why(question(input))));
        final WaitApplied waitApplied = input -> Answers.of(() -> waitApplied(input));
        final ChainTrace chainTrace = input -> Answers.of(() -> chainTrace(input));
        final Registration[] registrations = {
            provider.registerRpcImplementation(status), provider.registerRpcImplementation(verify),
            provider.registerRpcImplementation(resync), provider.registerRpcImplementation(flows),
            provider.registerRpcImplementation(natUsage), provider.registerRpcImplementation(natPreview),
            provider.registerRpcImplementation(waitApplied), provider.registerRpcImplementation(limits),
            provider.registerRpcImplementation(leases), provider.registerRpcImplementation(dhcpMessages),
            provider.registerRpcImplementation(leaseRelease), provider.registerRpcImplementation(chainTrace),
            provider.registerRpcImplementation(learnedHosts), provider.registerRpcImplementation(portStatistics),
            provider.registerRpcImplementation(why), provider.registerRpcImplementation(capture)};
        return () -> {
            for (final Registration registration : registrations) {
                registration.close();
            }
        };
    }

    private CompletableFuture<WaitAppliedOutput> waitApplied(final WaitAppliedInput input) {
        return operations.applied(node(input), Duration.ofMillis(input.requireTimeoutMilliseconds().toJava()))
            .thenApply(OperationsWriter::applied);
    }

    private CompletableFuture<ChainTraceOutput> chainTrace(final ChainTraceInput input) {
        return operations.chainTrace(new TraceQuestion(given("tenant", input.getTenant()),
            given("source-address", input.getSourceAddress()),
            given("destination-address", input.getDestinationAddress()), given("protocol", input.getProtocol()),
            given("source-port", input.getSourcePort()).toJava(),
            given("destination-port", input.getDestinationPort()).toJava())).thenApply(OperationsWriter::chainTrace);
    }

    private static WhyQuestion question(final WhyInput input) {
        return new WhyQuestion(given("tenant", input.getTenant()), Optional.ofNullable(input.getHost()),
            Optional.ofNullable(input.getDestination()), Optional.ofNullable(input.getProtocol()),
            input.getPort() == null ? OptionalInt.empty() : OptionalInt.of(input.getPort().toJava()),
            Boolean.TRUE.equals(input.getInbound()));
    }

    private static <T> T given(final String leaf, final T value) {
        if (value == null) {
            throw new IllegalArgumentException(leaf + ": is missing");
        }
        return value;
    }

    private LeaseReleaseOutput release(final LeaseReleaseInput input) {
        if (input.getTenant() == null || input.getAddress() == null) {
            throw new IllegalArgumentException("tenant, address: both are required");
        }
        operations.releaseLease(input.getTenant(), input.getAddress());
        return new LeaseReleaseOutputBuilder().build();
    }

    private static PoolChange change(final NatPreviewInput input) {
        if (input.getPool() != null) {
            return new PoolChange.OfPool(input.getPool(),
                input.getPrefix() == null ? List.of() : List.copyOf(input.getPrefix()));
        }
        if (input.getTenant() == null || input.getInsidePrefix() == null) {
            throw new IllegalArgumentException("pool, or tenant and inside-prefix: one of them is required");
        }
        return new PoolChange.OfPortBlock(input.getTenant(), input.getInsidePrefix(),
            Optional.ofNullable(input.getPublicPrefix()),
            Optional.ofNullable(input.getBlockSize()).map(size -> size.toJava()));
    }

    private static Optional<String> node(final NodeChoice input) {
        return Optional.ofNullable(input.getNode());
    }

    /** An answer for which switches are read. */
    private <T> ListenableFuture<RpcResult<T>> read(final Supplier<T> work) {
        return Answers.of(() -> CompletableFuture.supplyAsync(work, threads.readers()));
    }

    private <T> ListenableFuture<RpcResult<T>> answer(final Supplier<T> work) {
        return Answers.of(() -> CompletableFuture.supplyAsync(work, threads.others()));
    }
}
