// SPDX-License-Identifier: Apache-2.0
/**
 * Frames that the controller's services exchange with hosts, as immutable values. Knows protocols, and nothing of
 * tenants. Reading gives a value or nothing, whatever the bytes are. MAC and IPv4 addresses are unsigned numbers in a
 * {@code long}.
 */
package io.penstock.frames;
