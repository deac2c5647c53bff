// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Connections that a switch has still to forget, as the switch itself remembers them: by a flow that no packet meets
 * (ADR 43).
 *
 * @param zone conntrack zone, 0 to 65535
 * @param publicAddress only those whose source was given this address; all of the zone when absent
 */
public record OwedFlush(int zone, Optional<Ipv4> publicAddress) {
    private static final MatchField ZONE = MatchField.REG0;
    private static final MatchField ADDRESS = MatchField.REG1;

    /** The flow. */
    public FlowSpec flow() {
        final List<FieldMatch> matches = new ArrayList<>();
        matches.add(FieldMatch.of(ZONE, zone));
        publicAddress.ifPresent(address -> matches.add(FieldMatch.of(ADDRESS, address)));
        return new FlowSpec(Table.OWED_FLUSHES, Priority.NORMAL, matches, List.of(), Optional.empty(),
            Cookie.of(Cookie.Kind.OWED, zone), 0);
    }

    /** What a flow of a switch remembers; nothing when it is not exactly such a flow. */
    public static Optional<OwedFlush> of(final FlowSpec flow) {
        if (flow.table() != Table.OWED_FLUSHES || !Cookie.is(flow.cookie(), Cookie.Kind.OWED)) {
            return Optional.empty();
        }
        final Optional<Ipv4> address = flow.matches().stream().filter(match -> match.field() == ADDRESS)
            .map(match -> new Ipv4(match.value())).findFirst();
        return Optional.of(new OwedFlush(Cookie.ownerId(flow.cookie()) & 0xffff, address))
            .filter(named -> named.flow().equals(flow));
    }
}
