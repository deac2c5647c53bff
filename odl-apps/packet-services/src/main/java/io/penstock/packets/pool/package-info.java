// SPDX-License-Identifier: Apache-2.0
/** What is used of the public addresses: counted, watched, and told beforehand. */
package io.penstock.packets.pool;
