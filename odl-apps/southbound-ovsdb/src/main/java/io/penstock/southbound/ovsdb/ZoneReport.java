// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What the agent of a node last wrote about one conntrack zone, which is a tenant.
 *
 * @param limit most connections in the zone, as the switch has it; nothing when it has no limit
 * @param connections how many there are; nothing when they are not counted
 * @param resolver the state of the tenant's resolver, {@code ok} or what is wrong; empty when it has none
 * @param silentUpstreams addresses of upstreams that did not answer when the resolver last asked them
 */
public record ZoneReport(OptionalLong limit, OptionalLong connections, String resolver,
        List<String> silentUpstreams) {
    private static final String ADDRESSES = "[0-9A-Fa-f:.]{1,45}(?: [0-9A-Fa-f:.]{1,45})*";

    public ZoneReport {
        silentUpstreams = List.copyOf(silentUpstreams);
    }

    /** Without silent upstreams. */
    public ZoneReport(final OptionalLong limit, final OptionalLong connections, final String resolver) {
        this(limit, connections, resolver, List.of());
    }

    /** Reads the {@code external_ids} of a zone; what makes no sense is as if it were not there. */
    static ZoneReport of(final Map<?, ?> ids) {
        return new ZoneReport(number(ids.get(NodeKeys.SESSIONS_SET)), number(ids.get(NodeKeys.SESSIONS_COUNT)),
            ids.get(NodeKeys.DNS_STATE) instanceof String state ? state : "",
            ids.get(NodeKeys.DNS_SILENT) instanceof String text && text.matches(ADDRESSES)
                ? List.of(text.split(" ")) : List.of());
    }

    private static OptionalLong number(final @Nullable Object value) {
        return value instanceof String text && text.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(text))
            : OptionalLong.empty();
    }

    /** Whether the agent wrote nothing. */
    boolean isEmpty() {
        return limit.isEmpty() && connections.isEmpty() && resolver.isEmpty() && silentUpstreams.isEmpty();
    }
}
