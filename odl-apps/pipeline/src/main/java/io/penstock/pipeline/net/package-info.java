// SPDX-License-Identifier: Apache-2.0
/**
 * Addresses, prefixes, ports and protocols, as values with their texts. Uses no other package of the pipeline.
 */
package io.penstock.pipeline.net;
