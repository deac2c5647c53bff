// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A data record of IPFIX: a template, and values for its elements. Immutable. */
final class FlowRecord {
    private static final int BYTE = 8;
    /** A length in one byte is less than this; no name that the model permits is longer. */
    private static final int LONG = 255;

    private final Template template;
    private final byte[] content;

    private FlowRecord(final Template template, final byte[] content) {
        this.template = template;
        this.content = content;
    }

    /**
     * A record.
     *
     * @param values one for each element of the template: a Number, of which the low bytes are taken, or a String
     */
    static FlowRecord of(final Template template, final Object... values) {
        final List<Element> elements = template.elements();
        if (elements.size() != values.length) {
            throw new IllegalArgumentException(template + " has " + elements.size() + " elements, not "
                + values.length);
        }
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (int each = 0; each < values.length; each++) {
            if (elements.get(each).length() == Element.VARIABLE) {
                final byte[] text = values[each].toString().getBytes(StandardCharsets.UTF_8);
                final int length = Math.min(text.length, LONG - 1);
                content.write(length);
                content.write(text, 0, length);
            } else {
                final long number = ((Number) values[each]).longValue();
                for (int rest = elements.get(each).length() - 1; rest >= 0; rest--) {
                    content.write((int) (number >>> rest * BYTE));
                }
            }
        }
        return new FlowRecord(template, content.toByteArray());
    }

    Template template() {
        return template;
    }

    /** Bytes of the values. */
    int length() {
        return content.length;
    }

    void writeTo(final ByteArrayOutputStream out) {
        out.writeBytes(content);
    }
}
