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
        final List<CompletableFuture<Void>> sent = new ArrayList<>(part.size());
        part.forEach(meter -> sent.add(messenger.send(target, WireMessages.meter(meter, MeterCommand.ADD))));
        // They have no answers, so only the barrier tells which were not refused.
        return messenger.barrier(target).thenCompose(passed -> {
            for (int index = 0; index < sent.size(); index++) {
                if (existed(sent.get(index))) {
                    known.add(part.get(index));
                }
            }
            return addFrom(target, meters, from + part.size(), known);
        });
    }

    /** Whether a meter was refused because it is there; throws what else it was refused for. */
    private static boolean existed(final CompletableFuture<Void> added) {
        try {
            added.join();
            return false;
        } catch (CompletionException e) {
            if (String.valueOf(e.getCause().getMessage()).contains(EXISTS)) {
                return true;
            }
            throw e;
        }
    }
}
