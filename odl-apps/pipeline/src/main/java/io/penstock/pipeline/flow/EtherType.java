// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

/** EtherTypes, as IANA has registered them. */
public final class EtherType {
    public static final int IPV4 = 0x0800;
    public static final int ARP = 0x0806;
    public static final int IPV6 = 0x86dd;
    /** The network service header (RFC 8300). */
    public static final int NSH = 0x894f;

    private EtherType() {
        // Constants only
    }
}
