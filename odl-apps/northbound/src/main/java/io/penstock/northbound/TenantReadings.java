// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.engine.node.NodeWorker;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.SwitchId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Reads what switches have of one tenant, by its cookies: so a question about one tenant costs the same beside one
 * other and beside thousands. Safe for all threads.
 */
final class TenantReadings {
    private final Tenant tenant;
    private final Optional<TenantAllocation> given;

    TenantReadings(final Desired desired, final String tenant) {
        this.tenant = requireNonNull(desired.snapshot().tenants().get(tenant));
        given = Optional.ofNullable(desired.allocations().tenants().get(tenant));
    }

    /** Whether the tenant is on a node; of one that has just been committed that is not known yet. */
    boolean isOn(final String node) {
        return given.flatMap(each -> each.vrf(node)).isPresent() && tenant.nodes().contains(node);
    }

    /** Its flows on one of its nodes; those that were learned, which never drop, on demand. */
    CompletableFuture<List<InstalledFlow>> flows(final String node, final NodeWorker worker, final boolean learned) {
        return read(worker, (learned ? Stream.of(Cookie.Kind.TENANT, Cookie.Kind.LEARNED, Cookie.Kind.SESSION)
            : Stream.of(Cookie.Kind.TENANT)).<Reading>map(kind -> (southbound, id) ->
                southbound.readFlows(id, Cookie.of(kind, vrf(node)), -1)));
    }

    /** Its learned hosts and neighbours on one of its nodes. */
    CompletableFuture<List<InstalledFlow>> hosts(final String node, final NodeWorker worker) {
        return read(worker, Stream.of(Table.L2_HOSTS, Table.NEIGHBOURS).map(table -> (southbound, id) ->
            southbound.readTable(id, table, Cookie.of(Cookie.Kind.LEARNED, vrf(node)))));
    }

    /** Its VRF on one of its nodes. */
    VrfId vrf(final String node) {
        return given.flatMap(each -> each.vrf(node)).orElseThrow();
    }

    @FunctionalInterface
    private interface Reading {
        CompletableFuture<FlowDump> of(OpenFlowSouthbound southbound, SwitchId id);
    }

    private static CompletableFuture<List<InstalledFlow>> read(final NodeWorker worker,
            final Stream<Reading> readings) {
        return worker.ask((southbound, id) -> {
            final List<CompletableFuture<FlowDump>> dumps = readings.map(each -> each.of(southbound, id)).toList();
            return CompletableFuture.allOf(dumps.toArray(CompletableFuture[]::new)).thenApply(done ->
                dumps.stream().flatMap(dump -> dump.join().flows().stream()).toList());
        });
    }
}
