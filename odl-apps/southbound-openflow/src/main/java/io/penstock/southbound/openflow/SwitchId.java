// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

/**
 * A switch by its OpenFlow datapath id.
 *
 * @param datapathId the id, as an unsigned number
 */
public record SwitchId(long datapathId) {
    private static final String PREFIX = "openflow:";

    /** Reads a node id of OpenFlowPlugin, {@code openflow:<decimal datapath id>}. */
    public static SwitchId ofNodeId(final String nodeId) {
        if (!nodeId.startsWith(PREFIX)) {
            throw new IllegalArgumentException("'" + nodeId + "' is no OpenFlow node");
        }
        return new SwitchId(Long.parseUnsignedLong(nodeId.substring(PREFIX.length())));
    }

    /** The node id of OpenFlowPlugin. */
    public String nodeId() {
        return PREFIX + Long.toUnsignedString(datapathId);
    }

    @Override
    public String toString() {
        return nodeId();
    }
}
