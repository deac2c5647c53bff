// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.southbound.openflow.wire.WireMessages;
import io.penstock.southbound.openflow.wire.WireMessages.MeterCommand;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Sends meters to switches: all at once, with one barrier after each {@link BundleSender#CHUNK}. Not in a bundle, which
 * cannot carry them (Open vSwitch 3.1). Safe for all threads.
 */
final class Meters {
    /** In what OpenFlowPlugin says of OFPMMFC_METER_EXISTS. */
    private static final String EXISTS = "METEREXISTS";

    private final Messenger messenger;
    private final PlainSender plain;

    Meters(final Messenger messenger, final PlainSender plain) {
        this.messenger = requireNonNull(messenger);
        this.plain = requireNonNull(plain);
    }

    /** Makes meters; one that is there gets the new rate instead. */
    CompletableFuture<Void> set(final SwitchId target, final Collection<MeterSpec> meters) {
        return addFrom(target, List.copyOf(meters), 0, new ArrayList<>()).thenCompose(known -> plain.sendAll(target,
            known.stream().map(meter -> WireMessages.meter(meter, MeterCommand.MODIFY)).toList()));
    }

    /** Deletes meters, and with them all flows that name them. One that is not there is no error. */
    CompletableFuture<Void> delete(final SwitchId target, final Set<Integer> ids) {
        return plain.sendAll(target, ids.stream().map(WireMessages::deleteMeter).toList());
    }

    /** Adds meters from an index on; gives those that were there before. */
    private CompletableFuture<List<MeterSpec>> addFrom(final SwitchId target, final List<MeterSpec> meters,
            final int from, final List<MeterSpec> known) {
        if (from >= meters.size()) {
            return CompletableFuture.completedFuture(known);
        }
        final List<MeterSpec> part = meters.subList(from, Math.min(meters.size(), from + BundleSender.CHUNK));
        final List<CompletableFuture<Boolean>> existed = part.stream().map(meter -> messenger
            .send(target, WireMessages.meter(meter, MeterCommand.ADD)).handle((taken, refusal) -> existed(refusal)))
            .toList();
        // They have no answers, so only the barrier tells which were not refused. Some are told a little after it: the
        // plugin counts in pieces of 4096 messages, and completes those of the piece before a barrier last.
        return messenger.barrier(target)
            .thenCompose(passed -> CompletableFuture.allOf(existed.toArray(CompletableFuture[]::new)))
            .thenCompose(told -> {
                for (int index = 0; index < part.size(); index++) {
                    if (existed.get(index).join()) {
                        known.add(part.get(index));
                    }
                }
                return addFrom(target, meters, from + part.size(), known);
            });
    }

    /** Whether a meter was refused because it is there; throws what else it was refused for. */
    private static boolean existed(final Throwable refusal) {
        if (refusal != null && !String.valueOf(refusal.getMessage()).contains(EXISTS)) {
            throw refusal instanceof CompletionException known ? known : new CompletionException(refusal);
        }
        return refusal != null;
    }
}
