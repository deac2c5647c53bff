// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;

/** A static route of IPv6; the next hop is a global address. */
public record Route6(Prefix6 prefix, Ipv6 nextHop) { }
