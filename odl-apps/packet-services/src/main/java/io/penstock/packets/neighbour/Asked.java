// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.neighbour;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Duration;

/**
 * What was asked for a moment ago, and need not be asked for again by each packet that waits for it. Safe for all
 * threads; never blocks.
 *
 * @param <A> addresses, equal when they are the same
 */
public final class Asked<A> {
    /** How long nobody asks again. */
    static final Duration QUIET = Duration.ofMillis(500);

    private static final int REMEMBERED = 10_000;

    private final Cache<Request<A>, Boolean> requests;

    private record Request<A>(SwitchId node, VrfId vrf, A address) { }

    /** Nothing asked for. */
    public Asked() {
        this(Ticker.systemTicker());
    }

    Asked(final Ticker ticker) {
        requests = CacheBuilder.newBuilder().ticker(ticker).expireAfterWrite(QUIET).maximumSize(REMEMBERED).build();
    }

    /** Whether a next hop is to be asked for now; who is told so has to do it. */
    public boolean first(final SwitchId node, final VrfId vrf, final A nextHop) {
        return requests.asMap().putIfAbsent(new Request<>(node, vrf, nextHop), Boolean.TRUE) == null;
    }
}
