// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.FlowSpec;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A flow that a switch has and that cannot be one of ours, because it says something that
 * {@link io.penstock.pipeline.flow.FlowSpec} cannot. It can be deleted all the same.
 *
 * @param table OpenFlow table number
 * @param match {@code struct ofp_match} as hex digits
 * @param problem what is not known in it, for people
 * @param key what the switch knows it by, when that could be the key of a flow of ours: then it stands in its place
 */
public record ForeignFlow(int table, int priority, long cookie, String match, String problem, long packets,
        long bytes, Optional<FlowSpec.Key> key) {
    public ForeignFlow {
        requireNonNull(match);
        requireNonNull(problem);
        requireNonNull(key);
    }

    byte[] matchBytes() {
        return HexFormat.of().parseHex(match);
    }
}
