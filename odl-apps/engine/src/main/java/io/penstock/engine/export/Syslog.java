// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.export;

import static java.util.Objects.requireNonNull;

import io.penstock.engine.journal.Assignment;
import io.penstock.engine.journal.Change;
import io.penstock.pipeline.net.IpProtocol;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/** Syslog messages (RFC 5424), one in each datagram (RFC 5426): structured data alone, for programs. */
public final class Syslog implements Function<List<Change>, List<ByteBuffer>> {
    /** Facility local0, severity notice. */
    private static final int PRIORITY = 16 * 8 + 5;
    /** Who has no enterprise number of his own uses that of examples (RFC 5612). */
    private static final String ELEMENT = "nat@32473";

    private final String host;

    /** Messages of this host. */
    public Syslog(final String host) {
        this.host = requireNonNull(host);
    }

    @Override
    public List<ByteBuffer> apply(final List<Change> changes) {
        return changes.stream().map(change -> ByteBuffer.wrap(message(change).getBytes(StandardCharsets.UTF_8)))
            .toList();
    }

    private String message(final Change change) {
        final Assignment given = change.assignment();
        final StringBuilder text = new StringBuilder("<" + PRIORITY + ">1 " + change.time() + " " + host
            + " penstock - NAT [" + ELEMENT);
        add(text, "event", change.begins() ? "assigned" : "released");
        add(text, "kind", given.kind());
        add(text, "tenant", given.tenant());
        add(text, "vrf", given.vrf());
        add(text, "public", given.outside());
        given.inside().ifPresent(inside -> add(text, "inside", inside));
        given.blocks().ifPresent(blocks -> {
            add(text, "first-port", blocks.firstPort());
            add(text, "block-size", blocks.size());
        });
        given.forwarded().ifPresent(forwarded -> {
            add(text, "protocol", IpProtocol.name(forwarded.protocol()));
            add(text, "public-port", forwarded.publicPort());
            add(text, "inside-port", forwarded.insidePort());
        });
        return text.append(']').toString();
    }

    private static void add(final StringBuilder text, final String name, final Object value) {
        text.append(' ').append(name).append("=\"").append(value.toString().replaceAll("([\"\\\\\\]])", "\\\\$1"))
            .append('"');
    }
}
