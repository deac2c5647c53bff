// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import org.opendaylight.openflowplugin.extension.api.ConverterMessageToOFJava;
import org.opendaylight.openflowplugin.extension.api.ConvertorMessageFromOFJava;
import org.opendaylight.openflowplugin.extension.api.ExtensionConvertorData;
import org.opendaylight.openflowplugin.extension.api.path.MessagePath;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.common.types.rev130731.ExperimenterId;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.experimenter.input.experimenter.data.of.choice.WireData;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.experimenter.input.experimenter.data.of.choice.WireDataBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.experimenter.input.experimenter.data.of.choice.wire.data.WireDataContentBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.send.experimenter.input.experimenter.message.of.choice.WireMessage;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.send.experimenter.input.experimenter.message.of.choice.WireMessageBuilder;
import org.opendaylight.yangtools.yang.common.Uint32;

/**
 * From the RPC's input to what the serializer gets. The other direction is there because the plugin also publishes each
 * answer to a bundle as a notification, for which nobody listens, and complains when it cannot. Stateless.
 */
final class WireMessageConverter implements ConverterMessageToOFJava<WireMessage, WireData, ExtensionConvertorData>,
        ConvertorMessageFromOFJava<WireData, MessagePath> {
    @Override
    public WireData convert(final WireMessage message, final ExtensionConvertorData data) {
        return new WireDataBuilder()
            .setWireDataContent(new WireDataContentBuilder()
                .setBytes(message.getWireMessageContent().getBytes())
                .build())
            .build();
    }

    @Override
    public WireMessage convert(final WireData data, final MessagePath path) {
        return new WireMessageBuilder().build();
    }

    /** Not sent: the message has its own header. */
    @Override
    public ExperimenterId getExperimenterId() {
        return new ExperimenterId(Uint32.ZERO);
    }

    /** Not sent: the message has its own header. */
    @Override
    public Uint32 getType() {
        return Uint32.ZERO;
    }
}
