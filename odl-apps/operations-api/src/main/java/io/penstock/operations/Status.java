// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;

/** Everything at a glance. */
public record Status(List<NodeStatus> nodes, List<RefusedNode> refused, List<TenantStatus> tenants,
        List<ChainStatus> chains, List<FunctionStatus> functions, ControllerStatus controller) {
    /** A peer that says it is a node and is not believed. */
    public record RefusedNode(String name, String address, String reason) { }
}
