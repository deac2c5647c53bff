// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import com.google.gson.stream.JsonWriter;
import io.penstock.events.Notice;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.temporal.ChronoUnit;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifier;
import org.opendaylight.yangtools.yang.data.api.schema.ContainerNode;
import org.opendaylight.yangtools.yang.data.api.schema.stream.NormalizedNodeWriter;
import org.opendaylight.yangtools.yang.data.codec.gson.JSONCodecFactorySupplier;
import org.opendaylight.yangtools.yang.data.codec.gson.JSONNormalizedNodeStreamWriter;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.util.SchemaInferenceStack;

/** Events as RESTCONF writes notifications (RFC 8040, section 6.4), in one line of JSON. Stateless. */
final class EventJson {
    private EventJson() {
        // Stateless.
    }

    static String of(final EffectiveModelContext models, final Notice event) {
        final ContainerNode body = Notifications.body(models, event);
        final QName name = body.getIdentifier().getNodeType();
        final SchemaInferenceStack stack = SchemaInferenceStack.of(models);
        stack.enterSchemaTree(name);
        final StringWriter text = new StringWriter();
        try (JsonWriter json = new JsonWriter(text)) {
            json.beginObject().name("ietf-restconf:notification").beginObject()
                .name("event-time").value(event.time().truncatedTo(ChronoUnit.MILLIS).toString())
                .name(event.notification()).beginObject();
            try (NormalizedNodeWriter writer = NormalizedNodeWriter.forStreamWriter(
                    JSONNormalizedNodeStreamWriter.createNestedWriter(
                        JSONCodecFactorySupplier.RFC7951.getShared(models), stack.toInference(), name.getNamespace(),
                        json))) {
                for (final String leaf : event.details().names()) {
                    writer.write(body.getChildByArg(new NodeIdentifier(QName.create(name, leaf))));
                }
            }
            json.endObject().endObject().endObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a string takes all", e);
        }
        return text.toString();
    }
}
