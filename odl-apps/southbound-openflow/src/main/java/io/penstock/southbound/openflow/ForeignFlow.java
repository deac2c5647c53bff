// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import java.util.HexFormat;

/**
 * A flow that a switch has and that cannot be one of ours, because it says something that
 * {@link io.penstock.pipeline.flow.FlowSpec} cannot. It can be deleted all the same.
 *
 * @param table OpenFlow table number
 * @param match {@code struct ofp_match} as hex digits
 * @param problem what is not known in it, for people
 */
public record ForeignFlow(int table, int priority, long cookie, String match, String problem, long packets,
        long bytes) {
    public ForeignFlow {
        requireNonNull(match);
        requireNonNull(problem);
    }

    byte[] matchBytes() {
        return HexFormat.of().parseHex(match);
    }
}
