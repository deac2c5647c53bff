// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

/**
 * What a meter has counted since it was made or changed.
 *
 * @param id OpenFlow meter id
 * @param packetsIn all packets that came to it
 * @param bytesIn and their bytes
 * @param packetsDropped those of them that were beyond its rate
 * @param bytesDropped and their bytes
 */
public record MeterCount(int id, long packetsIn, long bytesIn, long packetsDropped, long bytesDropped) { }
