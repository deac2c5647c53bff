// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What the agent of a node last wrote about one conntrack zone, which is a tenant.
 *
 * @param limit most connections in the zone, as the switch has it; nothing when it has no limit
 * @param connections how many there are; nothing when they are not counted
 * @param resolver the state of the tenant's resolver, {@code ok} or what is wrong; empty when it has none
 */
public record ZoneReport(OptionalLong limit, OptionalLong connections, String resolver) {
    /** Reads the {@code external_ids} of a zone; what makes no sense is as if it were not there. */
    static ZoneReport of(final Map<?, ?> ids) {
        return new ZoneReport(number(ids.get(NodeKeys.SESSIONS_SET)), number(ids.get(NodeKeys.SESSIONS_COUNT)),
            ids.get(NodeKeys.DNS_STATE) instanceof String state ? state : "");
    }

    private static OptionalLong number(final @Nullable Object value) {
        return value instanceof String text && text.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(text))
            : OptionalLong.empty();
    }

    /** Whether the agent wrote nothing. */
    boolean isEmpty() {
        return limit.isEmpty() && connections.isEmpty() && resolver.isEmpty();
    }
}
