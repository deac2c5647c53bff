// SPDX-License-Identifier: Apache-2.0
/**
 * Finds out why packets of a tenant do not pass: a question and what is known of the network in, an answer out. Each
 * check looks at one part of the way of a packet. Does not know how things become known.
 */
package io.penstock.diagnosis;
