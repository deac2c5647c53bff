// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import java.util.Locale;

/** Parts of the way of a packet, in its order. */
enum Stage {
    CONFIGURATION, NODE, PORT, HOST, GUARD, LEASE, ROUTE, LIST, QUOTA, CHAIN, TRANSLATION, BACKBONE, NAMES, DROPS,
    SWITCH;

    /** The name in the interface. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
