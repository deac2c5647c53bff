// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import java.util.regex.Pattern;

/** The forms of names of the DNS, as text. */
public final class DomainNames {
    /** Without the dot at the end, so that the bytes of the name are at most 255 (RFC 1035, section 2.3.4). */
    public static final int MOST_CHARACTERS = 253;

    /** Letters, digits and inside it dashes (RFC 1123, section 2.1). */
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?");
    /** Records of services have underscores (RFC 8552). */
    private static final Pattern RECORD_LABEL = Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?");

    private DomainNames() {
        // Only functions.
    }

    /** Whether a text can be the name of a host within a domain. */
    public static boolean isLabel(final String text) {
        return LABEL.matcher(text).matches();
    }

    /** Whether a text is a domain: labels of hosts, without a dot at the end. */
    public static boolean isDomain(final String text) {
        return isOf(LABEL, text);
    }

    /** Whether a text is what a record may belong to, without a dot at the end. */
    public static boolean isOfRecord(final String text) {
        return isOf(RECORD_LABEL, text);
    }

    /** Bytes that a name takes in a message (RFC 1035, section 3.1). */
    public static int bytes(final String name) {
        return name.length() + 2;
    }

    private static boolean isOf(final Pattern label, final String text) {
        if (text.length() > MOST_CHARACTERS) {
            return false;
        }
        for (final String each : text.split("\\.", -1)) {
            if (!label.matcher(each).matches()) {
                return false;
            }
        }
        return true;
    }
}
