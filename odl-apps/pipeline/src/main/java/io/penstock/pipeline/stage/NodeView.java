// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.CanaryResult.Verdict;
import io.penstock.pipeline.intent.AccessPlace;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One node, with everything its plan depends on.
 *
 * @param down names of instances that do not work
 * @param flooding where frames come from that flood the slow path of the switch
 */
public record NodeView(Snapshot snapshot, Allocations allocations, Set<String> down, Set<AccessPlace> flooding,
        Node node) {
    /** Where frames of a tenant come from that flood the slow path. */
    public Set<AccessPlace> floodingOf(final Tenant tenant) {
        return flooding.isEmpty() ? Set.of() : tenant.attachments().stream()
            .filter(attachment -> attachment.node().equals(node.name())).map(Tenant.Attachment::place)
            .filter(flooding::contains).collect(Collectors.toUnmodifiableSet());
    }

    /** OpenFlow port number of a port of this node. */
    public int port(final String name) {
        return allocations.port(node.name(), name);
    }

    /** Id of this node. */
    public int id() {
        return allocations.id(node.name());
    }

    /** OpenFlow datapath id of the bridge. */
    public long datapathId() {
        return allocations.datapathId(node.name());
    }

    /** MAC address of the uplinks. */
    public Mac backboneMac() {
        return Constants.backboneMac(id());
    }

    /** Uplinks of this node. */
    public List<Backbone.Interface> uplinks() {
        return snapshot.backbone().on(node.name());
    }

    /** A tenant of this node. */
    public TenantView view(final Tenant tenant) {
        return TenantView.of(this, tenant);
    }

    /** Whether no instance of a function works. */
    public boolean isDown(final NetworkFunction function) {
        return working(function).isEmpty();
    }

    /** The instances of a function that work and have connections. */
    public List<NetworkFunction.Instance> working(final NetworkFunction function) {
        return function.instances().stream().filter(instance -> !down.contains(instance.name())
            && instance.state() != NetworkFunction.State.OUT_OF_SERVICE).toList();
    }

    /** What was found out about the canary of a function, once that is so. */
    public Optional<Verdict> verdict(final NetworkFunction function) {
        return allocations.verdict(function);
    }

    /** Tells functions of this node apart: the lowest number of the ports of their instances. */
    public int number(final NetworkFunction function) {
        return function.instances().stream().mapToInt(instance -> port(instance.insidePort())).min().orElseThrow();
    }

    /** Functions of this node. */
    public List<NetworkFunction> functions() {
        return snapshot.functionsOn(node.name());
    }
}
