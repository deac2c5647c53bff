// SPDX-License-Identifier: Apache-2.0
/**
 * Who is at the other end of a connection: certificates of members and nodes, read from PEM files that may be replaced
 * while the controller runs. The entry point is {@link io.penstock.base.tls.PeerTls}. docs/trust.md is for operators.
 */
package io.penstock.base.tls;
