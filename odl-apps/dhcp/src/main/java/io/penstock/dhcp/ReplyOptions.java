// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.frames.Ipv4Packet;
import io.penstock.frames.Udp;
import io.penstock.pipeline.net.Ipv4;
import java.util.LinkedHashMap;
import java.util.Map;

/** Puts the options of a reply together, as many as the client takes. For one thread. */
final class ReplyOptions {
    /** Smallest "largest message" (RFC 2132, section 9.10), which is what clients take that name none. */
    private static final int USUAL_PACKET = 576;
    /** What passes every link without fragments. */
    private static final int LARGEST_PACKET = 1500;
    private static final int HEADERS = Ipv4Packet.HEADER + Udp.HEADER;

    private final DhcpMessage query;
    private final Map<Integer, Bytes> options = new LinkedHashMap<>();
    private final Map<Integer, Bytes> echoed = new LinkedHashMap<>();
    private final Bytes relayAgent;
    private int room;

    /** What every reply has: type, server, and what RFC 6842, RFC 3046 and RFC 3011 want to be sent back. */
    ReplyOptions(final DhcpMessage query, final MessageType type, final Ipv4 server) {
        this.query = query;
        final int told = query.options().get(OptionCode.LARGEST_MESSAGE).map(value -> value.u16(0)).orElse(0);
        final int client = Math.min(LARGEST_PACKET, Math.max(USUAL_PACKET, told)) - HEADERS;
        final Bytes agent = query.options().get(OptionCode.RELAY_AGENT).orElse(Bytes.EMPTY);
        // The agent takes its option out again, so it does not count for the client, but has to get to the agent.
        final int withAgent = LARGEST_PACKET - HEADERS - (agent.isEmpty() ? 0 : OptionSet.sizeOf(agent));
        relayAgent = withAgent < USUAL_PACKET - HEADERS ? Bytes.EMPTY : agent;
        room = (relayAgent.isEmpty() ? client : Math.min(client, withAgent)) - DhcpMessage.FIXED - 1;
        put(OptionCode.MESSAGE_TYPE, new BytesWriter().u8(type.number()).bytes());
        put(OptionCode.SERVER, new BytesWriter().u32(server.number()).bytes());
        echo(OptionCode.CLIENT_IDENTIFIER);
        if (query.isRelayed()) {
            echo(OptionCode.SUBNET_SELECTION);
        }
    }

    /** How long the lease lasts and when it is renewed (RFC 2131, section 4.4.5). */
    ReplyOptions lease(final long seconds) {
        put(OptionCode.LEASE_TIME, new BytesWriter().u32(seconds).bytes());
        put(OptionCode.RENEWAL_TIME, new BytesWriter().u32(seconds / 2).bytes());
        put(OptionCode.REBINDING_TIME, new BytesWriter().u32(seconds * 7 / 8).bytes());
        return this;
    }

    /**
     * What is configured: the mask, which RFC 2132, section 3.3, wants before the routers, then what the client asks
     * for in its order (RFC 2132, section 9.8), or everything if it asks for nothing. What has no room is left out.
     */
    ReplyOptions configured(final Map<Integer, Bytes> configured) {
        putOf(configured, OptionCode.SUBNET_MASK);
        final Bytes asked = query.options().get(OptionCode.PARAMETER_LIST).orElse(Bytes.EMPTY);
        for (int at = 0; at < asked.length(); at++) {
            putOf(configured, asked.u8(at));
        }
        if (asked.isEmpty()) {
            configured.keySet().forEach(code -> putOf(configured, code));
        } else {
            // Nobody gets on without; who asked for the routes of RFC 3442 may have meant both.
            putOf(configured, OptionCode.ROUTERS);
        }
        return this;
    }

    /** A text for the operator of the client. */
    ReplyOptions message(final String text) {
        put(OptionCode.MESSAGE, Bytes.ofText(text));
        return this;
    }

    /** All of them; the relay agent's last (RFC 3046, section 2.1). */
    OptionSet done() {
        final Map<Integer, Bytes> all = new LinkedHashMap<>(options);
        all.keySet().removeAll(echoed.keySet());
        all.putAll(echoed);
        if (!relayAgent.isEmpty()) {
            all.put(OptionCode.RELAY_AGENT, relayAgent);
        }
        return OptionSet.of(all);
    }

    /** Takes room now for what comes last. */
    private void echo(final int code) {
        query.options().get(code).ifPresent(value -> {
            room -= OptionSet.sizeOf(value);
            echoed.put(code, value);
        });
    }

    private void putOf(final Map<Integer, Bytes> configured, final int code) {
        final Bytes value = configured.get(code);
        if (value != null && !options.containsKey(code)) {
            put(code, value);
        }
    }

    private void put(final int code, final Bytes value) {
        final int size = OptionSet.sizeOf(value);
        if (size <= room) {
            room -= size;
            options.put(code, value);
        }
    }
}
