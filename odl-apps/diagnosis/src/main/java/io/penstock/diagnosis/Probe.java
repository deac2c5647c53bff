// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.pipeline.intent.Tenant.Attachment;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.Mac;

/**
 * The packet of a question, as its host would send it, for a switch to say what it does with it.
 *
 * @param at where it comes to the switch
 * @param mac its sender
 */
public record Probe(Attachment at, Mac mac, FiveTuple packet) { }
