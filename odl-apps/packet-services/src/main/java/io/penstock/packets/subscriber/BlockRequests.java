// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.subscriber;

import static java.util.Objects.requireNonNull;

import io.penstock.packets.link.Fate;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Subscribers that sent a packet for which they need a block. Safe for all threads; never blocks. */
public final class BlockRequests {
    /** Requests of one node that wait: what its meters let through in some seconds. More have to be sent again. */
    static final int MOST_OF_A_NODE = 1000;
    /** Those of one tenant among them. */
    static final int MOST_OF_A_TENANT = 200;
    private static final int ETH_TYPE_AT = 12;
    private static final int SOURCE_AT = 26;
    private static final int HEADERS = 34;

    private final Runnable mark;
    private final Map<SwitchId, Set<Request>> requests = new HashMap<>();

    /**
     * What a packet asked for.
     *
     * @param node the switch that says so
     * @param had blocks that the switch found full
     */
    public record Request(SwitchId node, VrfId vrf, Ipv4 subscriber, int had) { }

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
        final Request request = request(packet).orElse(null);
        if (request == null) {
            return Fate.MALFORMED;
        }
        synchronized (this) {
            final Set<Request> same = requests.computeIfAbsent(request.node(), node -> new HashSet<>());
            if (same.size() >= MOST_OF_A_NODE || of(request.vrf(), same) >= MOST_OF_A_TENANT
                    || !same.add(request)) {
                return Fate.IGNORED;
            }
        }
        mark.run();
        return Fate.TAKEN;
    }

    /** The requests that are not answered yet. */
    public synchronized Set<Request> pending() {
        return requests.values().stream().flatMap(Set::stream).collect(Collectors.toUnmodifiableSet());
    }

    /** Forgets requests that are answered. */
    public synchronized void answered(final Set<Request> some) {
        requests.values().forEach(each -> each.removeAll(some));
        requests.values().removeIf(Set::isEmpty);
    }

    private static long of(final VrfId vrf, final Set<Request> some) {
        return some.stream().filter(request -> request.vrf().equals(vrf)).count();
    }

    private static Optional<Request> request(final PacketIn packet) {
        final boolean first = packet.table() == Table.NAT_TRANSLATE.number();
        final ByteBuffer frame = ByteBuffer.wrap(packet.frame());
        if (frame.limit() < HEADERS || (frame.getShort(ETH_TYPE_AT) & 0xffff) != EtherType.IPV4) {
            return Optional.empty();
        }
        return VrfId.of(packet.value(Register.VRF)).map(vrf -> new Request(packet.source(), vrf,
            new Ipv4(frame.getInt(SOURCE_AT) & 0xffffffffL), first ? 0 : (int) packet.value(Register.BLOCK) + 1));
    }
}
