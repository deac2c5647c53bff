// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.history;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.opendaylight.mdsal.binding.api.RpcProviderService;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.DateAndTime;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.HistoryInput;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.HistoryOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.HistoryOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.history.output.Change;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.history.output.ChangeBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.history.output.change.Entry;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.history.output.change.EntryBuilder;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.binding.util.BindingMap;
import org.opendaylight.yangtools.yang.common.ErrorTag;
import org.opendaylight.yangtools.yang.common.ErrorType;
import org.opendaylight.yangtools.yang.common.RpcResult;
import org.opendaylight.yangtools.yang.common.RpcResultBuilder;
import org.opendaylight.yangtools.yang.common.Uint16;
import org.opendaylight.yangtools.yang.common.Uint64;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** The RPC history. One thread reads the log, so that clients cannot take the processors by it. */
@Component(service = {}, immediate = true)
public final class HistoryRpc implements AutoCloseable {
    private static final int WAITING = 16;
    private static final int IDLE_SECONDS = 60;
    private static final int DEFAULT = 20;

    private final History history;
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(WAITING), task -> {
            final Thread made = new Thread(task, "penstock-history");
            made.setDaemon(true);
            return made;
        });
    private final Registration registration;

    /** Makes the RPC available. */
    @Activate
    public HistoryRpc(@Reference final History history, @Reference final RpcProviderService provider) {
        this.history = requireNonNull(history);
        thread.allowCoreThreadTimeOut(true);
        final org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.History rpc = this::answer;
        registration = provider.registerRpcImplementation(rpc);
    }

    private ListenableFuture<RpcResult<HistoryOutput>> answer(final HistoryInput input) {
        final SettableFuture<RpcResult<HistoryOutput>> answer = SettableFuture.create();
        try {
            thread.execute(() -> answer.set(result(input)));
        } catch (RejectedExecutionException e) {
            answer.set(failed(ErrorTag.RESOURCE_DENIED, "too many clients read the history; repeat it"));
        }
        return answer;
    }

    /** Whatever goes wrong, there is an answer: RESTCONF waits for it without end. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    private RpcResult<HistoryOutput> result(final HistoryInput input) {
        try {
            return RpcResultBuilder.success(output(history.page(question(input)))).build();
        } catch (IllegalArgumentException e) {
            return failed(ErrorTag.INVALID_VALUE, String.valueOf(e.getMessage()));
        } catch (IOException | RuntimeException e) {
            return failed(ErrorTag.OPERATION_FAILED, "the audit log cannot be read: " + e);
        }
    }

    private static RpcResult<HistoryOutput> failed(final ErrorTag tag, final String why) {
        return RpcResultBuilder.<HistoryOutput>failed().withError(ErrorType.APPLICATION, tag, why).build();
    }

    private static Question question(final HistoryInput input) {
        return new Question(Optional.ofNullable(input.getKind()), Optional.ofNullable(input.getName()),
            Optional.ofNullable(input.getSince()).map(HistoryRpc::time),
            input.getBefore() == null || input.getBefore().longValue() < 0 ? Long.MAX_VALUE
                : input.getBefore().longValue(),
            input.getLast() == null ? DEFAULT : input.getLast().toJava());
    }

    private static Instant time(final DateAndTime since) {
        try {
            return OffsetDateTime.parse(since.getValue()).toInstant();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("since: is no time: " + since.getValue(), e);
        }
    }

    private static HistoryOutput output(final Page page) {
        final HistoryOutputBuilder output = new HistoryOutputBuilder().setMember(page.member())
            .setChange(page.changes().stream().map(HistoryRpc::change).collect(BindingMap.toOrderedMap()))
            .setProblem(Set.copyOf(page.problems()));
        page.before().ifPresent(number -> output.setContinueBefore(Uint64.valueOf(number)));
        return output.build();
    }

    private static Change change(final ConfigurationChange change) {
        final ChangeBuilder built = new ChangeBuilder().setNumber(Uint64.valueOf(change.number()))
            .setTime(new DateAndTime(change.time().toString())).setUser(change.user()).setRole(change.role())
            .setSource(change.source()).setEntry(change.entries().stream().map(HistoryRpc::entry).toList());
        change.status().ifPresent(status -> built.setStatus(Uint16.valueOf(status)));
        return built.build();
    }

    private static Entry entry(final ConfigurationChange.Entry entry) {
        final EntryBuilder built = new EntryBuilder();
        present(entry.kind()).ifPresent(built::setKind);
        present(entry.name()).ifPresent(built::setName);
        present(entry.path()).ifPresent(built::setPath);
        entry.before().ifPresent(built::setBefore);
        entry.after().ifPresent(built::setAfter);
        entry.notLogged().ifPresent(bytes -> built.setNotLogged(Uint64.valueOf(bytes)));
        return built.build();
    }

    private static Optional<String> present(final String text) {
        return Optional.of(text).filter(each -> !each.isEmpty());
    }

    @Deactivate
    @Override
    public void close() {
        registration.close();
        thread.shutdownNow();
    }
}
