// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

/** The IPv6 half of a tenant's VRF. */
public record Ipv6Side() {
    /** The VRF has no IPv6. */
    public static final Ipv6Side NONE = new Ipv6Side();
}
