// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import com.google.common.util.concurrent.FluentFuture;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.requests.JudgedBodies;
import io.penstock.southbound.openflow.MdSalInProcess;
import io.penstock.testkit.Documents;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.mdsal.common.api.OptimisticLockFailedException;
import org.opendaylight.mdsal.dom.api.DOMDataTreeReadTransaction;
import org.opendaylight.mdsal.dom.api.DOMDataTreeReadWriteTransaction;
import org.opendaylight.mdsal.dom.api.DOMRpcResult;
import org.opendaylight.netconf.api.NetconfDocumentedException;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.common.RpcError;
import org.opendaylight.yangtools.yang.data.api.schema.ContainerNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.model.api.stmt.SchemaNodeIdentifier.Absolute;

/**
 * Does to the datastore and to the RPCs what RESTCONF does for the same requests (RFC 8040, in JSON); documents may be
 * written with single quotes. Checks of values against the model are those of the filter of requests, all others the
 * controller's.
 */
final class DataClient {
    private static final LogicalDatastoreType CONFIG = LogicalDatastoreType.CONFIGURATION;
    private static final int LIMIT_SECONDS = 360;
    /** Why a change is refused when another one of the same place came first. */
    static final String OVERTAKEN = "another client has changed the same at the same time";

    private final MdSalInProcess mdsal;
    private final JsonCodec codec;
    private final JudgedBodies bodies;

    DataClient(final MdSalInProcess mdsal) {
        this.mdsal = mdsal;
        codec = new JsonCodec(mdsal.model());
        bodies = new JudgedBodies(mdsal.model());
    }

    /** What became of a request: its output, or why it was refused. */
    record Answer(boolean isGood, JsonObject output, String messages) {
        boolean isRefusal() {
            return !isGood;
        }
    }

    /** Events of a kind so far, and more until it is closed. */
    record Events(List<JsonObject> events, Registration registration) implements AutoCloseable {
        @Override
        public void close() {
            registration.close();
        }
    }

    /** Carries a request out, or not. */
    Answer data(final String method, final String path, final String document) {
        return data(method, path, document, () -> { });
    }

    /**
     * The same.
     *
     * @param begun called when it has read what is stored, and is not yet stored itself
     */
    Answer data(final String method, final String path, final String document, final Runnable begun) {
        // The parser takes single quotes, the filter does not.
        final Optional<String> refusal = document.isEmpty() ? Optional.empty()
            : bodies.refusal(method, path, JsonParser.parseString(document).toString());
        if (refusal.isPresent()) {
            return new Answer(false, new JsonObject(), refusal.orElseThrow());
        }
        final JsonCodec.Place place = codec.place(path);
        final DOMDataTreeReadWriteTransaction transaction = mdsal.domBroker().newReadWriteTransaction();
        final boolean exists = get(transaction.exists(CONFIG, place.path()));
        switch (method) {
            case "DELETE" -> {
                if (!exists) {
                    transaction.cancel();
                    return new Answer(false, new JsonObject(), path + " is not there");
                }
                transaction.delete(CONFIG, place.path());
            }
            case "PUT" -> {
                mergeParents(transaction, place);
                transaction.put(CONFIG, place.path(), codec.parse(place, document));
            }
            case "PATCH" -> {
                mergeParents(transaction, place);
                transaction.merge(CONFIG, place.path(), codec.parse(place, document));
            }
            case "POST" -> {
                final JsonCodec.Child child = codec.parseChild(place, document);
                if (get(transaction.exists(CONFIG, child.path()))) {
                    transaction.cancel();
                    return new Answer(false, new JsonObject(), child.path() + " is there already");
                }
                transaction.merge(CONFIG, child.parent(), codec.empty(child.parent()));
                transaction.put(CONFIG, child.path(), child.data());
            }
            default -> throw new IllegalArgumentException(method);
        }
        begun.run();
        return answer(transaction.commit());
    }

    private void mergeParents(final DOMDataTreeReadWriteTransaction transaction, final JsonCodec.Place place) {
        place.parent().ifPresent(parent -> transaction.merge(CONFIG, place.root(), codec.emptyDownTo(parent)));
    }

    private static Answer answer(final FluentFuture<?> commit) {
        try {
            commit.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            return new Answer(true, new JsonObject(), "");
        } catch (ExecutionException e) {
            Throwable cause = e;
            while (cause != null && !(cause instanceof NetconfDocumentedException)) {
                if (cause instanceof OptimisticLockFailedException) {
                    return new Answer(false, new JsonObject(), OVERTAKEN);
                }
                if (cause instanceof IllegalArgumentException tree) {
                    return new Answer(false, new JsonObject(), "the data tree does not take it: " + tree.getMessage());
                }
                cause = cause.getCause();
            }
            if (cause == null) {
                throw new AssertionError("RESTCONF would hide the words of this", e);
            }
            return new Answer(false, new JsonObject(), cause.getMessage());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** Puts a document in the place of what is there. */
    void put(final String path, final String document) {
        expectGood("PUT", path, document);
    }

    /** Adds a document to what is there. */
    void patch(final String path, final String document) {
        expectGood("PATCH", path, document);
    }

    /** Adds entries to a list of the network. */
    void add(final String list, final String... entries) {
        patch(Documents.NETWORK, Documents.patch(list, List.of(entries)));
    }

    /** Removes what is there. */
    void delete(final String path) {
        expectGood("DELETE", path, "");
    }

    private void expectGood(final String method, final String path, final String document) {
        final Answer answer = data(method, path, document);
        if (!answer.isGood()) {
            throw new AssertionError(method + " " + path + ": " + answer.messages());
        }
    }

    /** Whether something is configured there. */
    boolean has(final String path) {
        return stored(path).isPresent();
    }

    /** What is configured there. */
    JsonObject read(final String path) {
        return codec.json(codec.place(path), stored(path).orElseThrow(() -> new AssertionError("no " + path)));
    }

    /** An entry of a list of the state; empty if it is not there. */
    Optional<JsonObject> state(final String path) {
        return stateOf(path).map(entry -> entry.entrySet().iterator().next().getValue().getAsJsonArray().get(0)
            .getAsJsonObject());
    }

    /** The same as a document. */
    Optional<JsonObject> stateOf(final String path) {
        final JsonCodec.Place place = codec.place(path);
        return held(LogicalDatastoreType.OPERATIONAL, path).map(entry -> codec.json(place, entry));
    }

    private Optional<NormalizedNode> stored(final String path) {
        return held(CONFIG, path);
    }

    private Optional<NormalizedNode> held(final LogicalDatastoreType store, final String path) {
        try (DOMDataTreeReadTransaction transaction = mdsal.domBroker().newReadOnlyTransaction()) {
            return get(transaction.read(store, codec.place(path).path()));
        }
    }

    /** Calls an operation of the module penstock-operations, or of one that its name has, whatever the answer. */
    Answer operation(final String operation, final String input) {
        final int colon = operation.indexOf(':');
        final QName name = codec.name(colon < 0 ? "penstock-operations" : operation.substring(0, colon),
            operation.substring(colon + 1));
        final DOMRpcResult result = get(mdsal.domRpcs().invokeRpc(name, codec.parseInput(name, input)));
        return result.errors().isEmpty()
            ? new Answer(true, codec.output(name, result.value()), "")
            : new Answer(false, new JsonObject(), result.errors().stream().map(RpcError::getMessage)
                .collect(Collectors.joining("; ")));
    }

    /** Calls an operation of the module penstock-operations and gives its output. */
    JsonObject call(final String operation, final String input) {
        final Answer answer = operation(operation, input);
        if (!answer.isGood()) {
            throw new AssertionError(operation + ": " + answer.messages());
        }
        return answer.output();
    }

    /** Listens to notifications of the module penstock-operations. */
    Events listen(final String notification) {
        return listen("penstock-operations", notification);
    }

    /** Listens to notifications of a module. */
    Events listen(final String module, final String notification) {
        final QName name = codec.name(module, notification);
        final List<JsonObject> events = new CopyOnWriteArrayList<>();
        return new Events(events, mdsal.domNotifications().registerNotificationListener(
            event -> events.add(codec.notification((ContainerNode) event.getBody())), Absolute.of(name)));
    }

    private static <T> T get(final Future<T> future) {
        try {
            return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }
}
