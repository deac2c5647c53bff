// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

/** Longest packets of a network. Bytes of IP. */
public final class Mtu {
    /** Of a network that configures none. */
    public static final int DEFAULT = 1500;
    /** Every host takes so much (RFC 791, section 3.1). */
    public static final int LEAST = 576;
    /** The same of IPv6 (RFC 8200, section 5). */
    public static final int LEAST_IPV6 = 1280;
    /** The largest that can be configured. */
    public static final int MOST = 9216;

    private Mtu() {
        // Constants only.
    }
}
