// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;

/** A static route; the next hop is an IPv4 address. */
public record Route(Prefix prefix, Ipv4 nextHop) { }
