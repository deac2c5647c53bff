// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.southbound.openflow.wire.WireMeters;
import java.util.List;
import org.opendaylight.openflowjava.protocol.api.extensibility.DeserializerRegistry;
import org.opendaylight.openflowjava.protocol.api.extensibility.DeserializerRegistryInjector;
import org.opendaylight.openflowjava.protocol.api.extensibility.OFDeserializer;
import org.opendaylight.openflowjava.protocol.api.extensibility.OFGeneralDeserializer;
import org.opendaylight.openflowjava.protocol.api.extensibility.OFGeneralSerializer;
import org.opendaylight.openflowjava.protocol.api.extensibility.OFSerializer;
import org.opendaylight.openflowjava.protocol.api.extensibility.SerializerRegistry;
import org.opendaylight.openflowjava.protocol.api.extensibility.SerializerRegistryInjector;
import org.opendaylight.openflowjava.protocol.api.keys.MessageCodeKey;
import org.opendaylight.openflowjava.protocol.api.keys.MessageTypeKey;
import org.opendaylight.openflowjava.protocol.api.util.EncodeConstants;
import org.opendaylight.openflowjava.protocol.spi.connection.SwitchConnectionProvider;
import org.opendaylight.openflowplugin.extension.api.ExtensionConverterRegistrator;
import org.opendaylight.openflowplugin.extension.api.TypeVersionKey;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.statistics.rev131111.multipart.request.multipart.request.body.MultipartRequestMeterStats;
import org.opendaylight.yang.gen.v1.urn.opendaylight.multipart.types.rev170112.multipart.reply.MultipartReplyBody;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.ErrorMessage;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.ExperimenterInput;
import org.opendaylight.yang.gen.v1.urn.opendaylight.openflow.protocol.rev130731.ExperimenterMessage;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.PacketInMessage;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.experimenter.input.experimenter.data.of.choice.WireData;
import org.opendaylight.yang.gen.v1.urn.penstock.openflow.wire.rev261121.send.experimenter.input.experimenter.message.of.choice.WireMessage;
import org.opendaylight.yangtools.concepts.ObjectRegistration;

/**
 * Hangs our wire format into OpenFlowPlugin: messages out through its experimenter RPC; flows, meters, packet-ins and
 * the answers to bundles in. Replaces eight codecs of the OpenFlow 1.3 connections on the default port (6653).
 *
 * <p>OpenFlowPlugin installs its own codecs when it starts to listen, perhaps after us, so {@link #claim} is called
 * again for each switch that connects. The registries are plain maps: putting a value to a key that is there already
 * is what they bear while connections read them.
 */
final class WireExtension implements AutoCloseable {
    private static final int ERROR = 1;
    private static final int EXPERIMENTER = 4;
    private static final int PACKET_IN = 10;
    private static final int MULTIPART_FLOW = 1;

    private static final MessageTypeKey<?> SEND =
        new MessageTypeKey<>(EncodeConstants.OF_VERSION_1_3, ExperimenterInput.class);
    private static final MessageTypeKey<?> METER_REQUEST =
        new MessageTypeKey<>(EncodeConstants.OF_VERSION_1_3, MultipartRequestMeterStats.class);
    private static final MessageCodeKey ERRORS = key(ERROR, ErrorMessage.class);
    private static final MessageCodeKey EXPERIMENTERS = key(EXPERIMENTER, ExperimenterMessage.class);

    private final SwitchConnectionProvider connections;
    private final List<ObjectRegistration<?>> converters;
    private final OFSerializer<ExperimenterInput> standardSerializer;
    private final OFDeserializer<ErrorMessage> standardErrors;
    private final OFDeserializer<ExperimenterMessage> standardExperimenters;

    WireExtension(final SwitchConnectionProvider connections, final ExtensionConverterRegistrator registrator) {
        this.connections = requireNonNull(connections);
        final WireMessageConverter converter = new WireMessageConverter();
        converters = List.of(
            registrator.registerMessageConvertor(
                new TypeVersionKey<>(WireMessage.class, EncodeConstants.OF_VERSION_1_3), converter),
            registrator.registerMessageConvertor(
                new MessageTypeKey<>(EncodeConstants.OF_VERSION_1_3, WireData.class), converter));
        // The only way to the registries: they introduce themselves to codecs that want it.
        final Introduced introduced = new Introduced();
        connections.registerSerializer(new MessageTypeKey<>(EncodeConstants.OF_VERSION_1_3, Introduced.class),
            introduced);
        connections.registerDeserializer(key(0, Introduced.class), introduced);
        standardSerializer = introduced.serializers.getSerializer(SEND);
        standardErrors = introduced.deserializers.getDeserializer(ERRORS);
        standardExperimenters = introduced.deserializers.getDeserializer(EXPERIMENTERS);
        claim();
    }

    /** Puts our codecs in place. */
    void claim() {
        connections.registerSerializer(SEND, new WireMessageSerializer(standardSerializer));
        connections.registerDeserializer(ERRORS, new ExperimenterErrorDeserializer(standardErrors));
        connections.registerDeserializer(EXPERIMENTERS, new BundleReplyDeserializer(standardExperimenters));
        connections.registerDeserializer(key(MULTIPART_FLOW, MultipartReplyBody.class), new FlowEntriesDeserializer());
        connections.registerSerializer(METER_REQUEST, new MeterRequestSerializer());
        for (final WireMeters.Body body : WireMeters.Body.values()) {
            connections.registerDeserializer(key(body.multipart(), MultipartReplyBody.class),
                new MeterEntriesDeserializer(body));
        }
        connections.registerDeserializer(key(PACKET_IN, PacketInMessage.class), new PacketInDeserializer());
    }

    /**
     * Puts back what can be put back. Flows, meters and packet-ins stay as they are until OpenFlowPlugin is started
     * again: nobody else reads them here.
     */
    @Override
    public void close() {
        converters.forEach(ObjectRegistration::close);
        connections.registerSerializer(SEND, standardSerializer);
        connections.registerDeserializer(ERRORS, standardErrors);
        connections.registerDeserializer(EXPERIMENTERS, standardExperimenters);
    }

    private static MessageCodeKey key(final int code, final Class<?> type) {
        return new MessageCodeKey(EncodeConstants.OF_VERSION_1_3, code, type);
    }

    /** Remembers the registries. */
    private static final class Introduced implements OFGeneralSerializer, OFGeneralDeserializer,
            SerializerRegistryInjector, DeserializerRegistryInjector {
        @SuppressWarnings("NullAway.Init") // by the registration of this
        private SerializerRegistry serializers;
        @SuppressWarnings("NullAway.Init")
        private DeserializerRegistry deserializers;

        @Override
        public void injectSerializerRegistry(final SerializerRegistry registry) {
            serializers = registry;
        }

        @Override
        public void injectDeserializerRegistry(final DeserializerRegistry registry) {
            deserializers = registry;
        }
    }
}
