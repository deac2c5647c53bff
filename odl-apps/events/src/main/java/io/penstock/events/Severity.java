// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

/** How much an event matters, with the numbers of syslog (RFC 5424, table 2). */
public enum Severity {
    /** Packets or requests of tenants are lost. */
    ERROR(3),
    /** It will be so, or is so in part, unless an operator acts. */
    WARNING(4),
    /** A trouble has ended, or an operator did it. */
    NOTICE(5);

    private final int number;

    Severity(final int number) {
        this.number = number;
    }

    /** Its number in syslog. */
    public int number() {
        return number;
    }
}
