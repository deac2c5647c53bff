// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Warns of the same trouble once; repetitions go to debug. A broken peer tries again every few seconds for ever, and
 * the operator should read of it once. Remembers a bounded number of troubles, of each reason the first 400 characters:
 * reasons quote the peer. Thread-safe.
 */
final class OnceLog {
    private static final int CAPACITY = 512;
    private static final int MAX_REASON = 400;

    private final Logger log;
    private final Map<String, Boolean> seen = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(final Map.Entry<String, Boolean> eldest) {
            return size() > CAPACITY;
        }
    };

    OnceLog(final Logger log) {
        this.log = log;
    }

    /** Warns, and returns whether this was the first time for this peer and reason. */
    boolean warn(final String peer, final String why) {
        final String reason = PeerText.cut(why, MAX_REASON);
        final boolean first;
        synchronized (seen) {
            first = seen.put(peer + '\n' + reason, true) == null;
        }
        if (first) {
            log.warn("OVSDB peer {}: {}", peer, reason);
        } else {
            log.debug("OVSDB peer {}, again: {}", peer, reason);
        }
        return first;
    }
}
