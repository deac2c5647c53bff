// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.registry.Register;
import java.util.Iterator;
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

    /** What a register of at most 32 bits held; 0 when the switch said nothing of it. */
    public long value(final Register register) {
        return register.in(fields.getOrDefault(register.range().field(), 0L));
    }

    /** What a register of 128 bits held; {@link Ipv6#UNSPECIFIED} when the switch said nothing of it. */
    public Ipv6 address(final Register register) {
        final Iterator<Long> words = register.range().field().parts().stream()
            .map(part -> fields.getOrDefault(part, 0L)).iterator();
        return new Ipv6(words.next() << Integer.SIZE | words.next(), words.next() << Integer.SIZE | words.next());
    }
}
