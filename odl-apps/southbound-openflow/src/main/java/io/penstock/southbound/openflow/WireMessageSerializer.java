// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.penstock.southbound.openflow.wire.WireMessages;
import org.opendaylight.openflowjava.protocol.api.extensibility.OFSerializer;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.ExperimenterInput;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.experimenter.input.experimenter.data.of.choice.WireData;

/**
 * Writes our messages as they are, and leaves other experimenter messages to OpenFlowPlugin. Called on the threads of
 * the connections.
 */
final class WireMessageSerializer implements OFSerializer<ExperimenterInput> {
    private final OFSerializer<ExperimenterInput> standard;

    WireMessageSerializer(final OFSerializer<ExperimenterInput> standard) {
        this.standard = requireNonNull(standard);
    }

    @Override
    public void serialize(final ExperimenterInput input, final ByteBuf out) {
        if (input.getExperimenterDataOfChoice() instanceof WireData wire) {
            WireMessages.write(out, wire.getWireDataContent().getBytes(), input.getXid().intValue());
        } else {
            standard.serialize(input, out);
        }
    }
}
