// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.subscriber;

import static java.util.Objects.requireNonNull;

import io.penstock.engine.link.Fate;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.PacketIn;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Subscribers that sent a packet for which they need a block. Safe for all threads; never blocks. */
public final class BlockRequests {
    /** What the meter of all nodes lets through in some seconds; who does not fit in asks again. */
    private static final int MOST = 1000;
    private static final int ETH_TYPE_AT = 12;
    private static final int SOURCE_AT = 26;
    private static final int HEADERS = 34;

    private final Runnable mark;
    private final Set<Request> requests = new HashSet<>();

    /**
     * What a packet asked for.
     *
     * @param had blocks that the switch found full
     */
    public record Request(int vrf, long subscriber, int had) { }

    /**
     * Nothing asked for.
     *
     * @param mark called when there is a request; must not block
     */
    public BlockRequests(final Runnable mark) {
        this.mark = requireNonNull(mark);
    }

    /** Takes a packet for which there was no port. */
    public Fate onPacketIn(final PacketIn packet) {
        if (packet.table() != Table.NAT_TRANSLATE.number() && packet.table() != Table.NAT_OUT_CHECK.number()) {
            return Fate.NOT_MINE;
        }
        final Request request = request(packet).orElse(null);
        if (request == null) {
            return Fate.MALFORMED;
        }
        synchronized (this) {
            if (requests.size() >= MOST || !requests.add(request)) {
                return Fate.IGNORED;
            }
        }
        mark.run();
        return Fate.TAKEN;
    }

    /** The requests that are not answered yet. */
    public synchronized Set<Request> pending() {
        return Set.copyOf(requests);
    }

    /** Forgets requests that are answered. */
    public synchronized void answered(final Set<Request> some) {
        requests.removeAll(some);
    }

    private static Optional<Request> request(final PacketIn packet) {
        final boolean first = packet.table() == Table.NAT_TRANSLATE.number();
        final ByteBuffer frame = ByteBuffer.wrap(packet.frame());
        if (frame.limit() < HEADERS || (frame.getShort(ETH_TYPE_AT) & 0xffff) != EtherType.IPV4) {
            return Optional.empty();
        }
        return Optional.of(new Request((int) packet.value(Register.VRF), frame.getInt(SOURCE_AT) & 0xffffffffL,
            first ? 0 : (int) packet.value(Register.BLOCK) + 1));
    }
}
