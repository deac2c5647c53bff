// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static java.util.Objects.requireNonNull;

import io.penstock.journal.Assignment;
import io.penstock.journal.Change;
import io.penstock.pipeline.net.IpProtocol;
import java.util.List;
import java.util.function.Function;

/** Syslog messages of the journal: structured data alone, for programs. */
final class NatSyslog implements Function<List<Change>, List<Payload>> {
    private static final int NOTICE = 5;

    private final String host;

    /** Messages of this host. */
    NatSyslog(final String host) {
        this.host = requireNonNull(host);
    }

    @Override
    public List<Payload> apply(final List<Change> changes) {
        return changes.stream().map(this::message).toList();
    }

    private Payload message(final Change change) {
        final Assignment given = change.assignment();
        final SyslogMessage message = new SyslogMessage(NOTICE, change.time(), host, "NAT", "nat")
            .with("event", change.begins() ? "assigned" : "released").with("kind", given.kind())
            .with("tenant", given.tenant()).with("vrf", given.tenantId()).with("public", given.outside());
        given.inside().ifPresent(inside -> message.with("inside", inside));
        given.blocks().ifPresent(blocks -> message.with("first-port", blocks.firstPort())
            .with("block-size", blocks.size()));
        given.forwarded().ifPresent(forwarded -> message.with("protocol", IpProtocol.name(forwarded.protocol()))
            .with("public-port", forwarded.publicPort()).with("inside-port", forwarded.insidePort()));
        return message.payload();
    }
}
