// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** The targets of the edits of a YANG Patch (RFC 8072), which are paths below that of the request. */
final class Patches {
    private static final String TARGET = "target";

    private Patches() {
        // Only functions.
    }

    /** Every text that is named {@code target}; a body that cannot be read has those before the place. */
    static List<String> targetsInJson(final byte[] body) {
        final List<String> targets = new ArrayList<>();
        try (JsonReader reader = new JsonReader(
                new InputStreamReader(new ByteArrayInputStream(body), StandardCharsets.UTF_8))) {
            reader.setLenient(true);
            String name = "";
            for (JsonToken token = reader.peek(); token != JsonToken.END_DOCUMENT; token = reader.peek()) {
                switch (token) {
                    case BEGIN_OBJECT -> reader.beginObject();
                    case END_OBJECT -> reader.endObject();
                    case BEGIN_ARRAY -> reader.beginArray();
                    case END_ARRAY -> reader.endArray();
                    case NAME -> name = reader.nextName();
                    case STRING -> {
                        final String value = reader.nextString();
                        if (name.equals(TARGET)) {
                            targets.add(value);
                        }
                    }
                    default -> reader.skipValue();
                }
            }
        } catch (IOException | IllegalStateException e) {
            // RESTCONF refuses it.
            return targets;
        }
        return targets;
    }

    /** The same in XML. */
    static List<String> targetsInXml(final byte[] body) {
        final List<String> targets = new ArrayList<>();
        final XMLInputFactory factory = XMLInputFactory.newInstance();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        try {
            final XMLStreamReader reader = factory.createXMLStreamReader(new ByteArrayInputStream(body));
            while (reader.hasNext()) {
                if (reader.next() == XMLStreamConstants.START_ELEMENT && reader.getLocalName().equals(TARGET)) {
                    targets.add(reader.getElementText().strip());
                }
            }
        } catch (XMLStreamException e) {
            // RESTCONF refuses it.
            return targets;
        }
        return targets;
    }
}
