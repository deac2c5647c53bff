// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.MatchField;
import java.util.Map;

/**
 * A frame that a switch sent to the controller.
 *
 * @param inPort OpenFlow port it came in at
 * @param cookie cookie of the flow that sent it
 * @param table OpenFlow table number of that flow
 * @param fields what the switch said of its state, exact values: in_port, registers that are not zero, ct_state and
 *     ct_mark after connection tracking
 * @param frame the frame from its Ethernet header on; its array is not copied: do not change it
 */
public record PacketIn(SwitchId source, int inPort, long cookie, int table, Map<MatchField, Long> fields,
        byte[] frame) {
    public PacketIn {
        requireNonNull(source);
        requireNonNull(frame);
        fields = Map.copyOf(fields);
    }
}
