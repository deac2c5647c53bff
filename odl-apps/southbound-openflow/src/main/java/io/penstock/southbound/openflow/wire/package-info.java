// SPDX-License-Identifier: Apache-2.0
/**
 * Flows as OpenFlow 1.3 bytes, the way Open vSwitch writes them back: a flow that was encoded, installed and dumped
 * decodes to a flow that equals the first one. Owns the wire format of matches, actions and messages; knows nothing of
 * OpenDaylight or of connections. Everything here is stateless and safe for all threads.
 */
package io.penstock.southbound.openflow.wire;
