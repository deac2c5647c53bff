// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.link;

/** What a service did with a packet that a switch sent to the controller. */
public enum Fate {
    /** Another service handles packets of that table. */
    NOT_MINE,
    /** It was answered, or is queued to be answered. */
    TAKEN,
    /** It is well-formed and gets no answer: it is for nothing that is served, or there were too many. */
    IGNORED,
    /** It cannot be read. */
    MALFORMED
}
