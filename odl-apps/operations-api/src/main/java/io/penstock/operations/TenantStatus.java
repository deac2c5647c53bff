// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;

/**
 * A tenant; {@code publicAddress} and {@code chain} are empty without.
 *
 * @param publicPrefixes its other public addresses, each as {@code port-block 10.0.0.0/24 198.51.100.0/28}
 * @param agents for each node where the agent has something to do for the tenant
 */
public record TenantStatus(String name, int vrf, List<String> attachments, String publicAddress,
        List<String> publicPrefixes, String chain, String state, List<AgentStatus> agents) {
    /**
     * What the agent of a node does for a tenant.
     *
     * @param sessions connections that are tracked; 0 when they are not counted
     * @param sessionLimit most of them that the tenant may have here; 0 for no limit
     * @param sessionLimitSet the limit the switch has, as the agent says; 0 for none
     * @param resolver {@code ok}, or what is wrong; {@code not reported} when there ought to be one and the agent says
     *     nothing; empty when there is none
     */
    public record AgentStatus(String node, long sessions, long sessionLimit, long sessionLimitSet, String resolver) { }
}
