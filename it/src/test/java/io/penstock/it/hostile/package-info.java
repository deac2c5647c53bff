// SPDX-License-Identifier: Apache-2.0
/**
 * Attacks: what hostile tenants, functions and hosts of the backbone send, and what must not become of it. Classes are
 * named as in {@link io.penstock.it}, whose nodes they share.
 */
package io.penstock.it.hostile;
