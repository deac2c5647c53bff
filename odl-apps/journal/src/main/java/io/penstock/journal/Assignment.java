// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Prefix;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Public addresses, or ports of one, that a tenant has.
 *
 * @param tenantId of the tenant in the network; entries and exports name it {@code vrf}, which their readers know
 * @param kind the list or leaf of the model that says so: {@code source} for a VRF's own address
 * @param inside who in the VRF has them; nobody in particular for {@code source}
 * @param outside the public addresses; of equal length as {@code inside} when that is not shared
 * @param blocks ports that inside addresses have, when the public addresses are shared
 * @param forwarded protocol and ports of a forward
 */
public record Assignment(String tenant, int tenantId, String kind, Optional<Prefix> inside, Prefix outside,
        Optional<Blocks> blocks, Optional<Forwarded> forwarded) {
    /** Kind of a VRF's own address. */
    public static final String SOURCE = "source";
    /** Kind of a forwarded port. */
    public static final String PORT_FORWARD = "port-forward";
    /** Kind of a subscriber's block. */
    public static final String PORT_BLOCK = Tenant.PortBlocks.KIND;

    /**
     * Blocks of ports: one for each inside address in its turn.
     *
     * @param firstPort where the first begins
     * @param size ports in each
     */
    public record Blocks(int firstPort, int size) { }

    /**
     * The port of a forward.
     *
     * @param protocol 6 for TCP, 17 for UDP
     */
    public record Forwarded(int protocol, int publicPort, int insidePort) { }

    /** All that is assigned, in the order of the tenants. */
    public static Set<Assignment> of(final Snapshot snapshot, final Allocations allocations) {
        return of(snapshot, allocations, snapshot.tenants().keySet());
    }

    /** All that is assigned to some tenants, which need not be configured any more. */
    public static Set<Assignment> of(final Snapshot snapshot, final Allocations allocations,
            final Collection<String> tenants) {
        final Set<Assignment> found = new LinkedHashSet<>();
        for (final String name : tenants) {
            Optional.ofNullable(snapshot.tenants().get(name)).flatMap(Tenant::nat).ifPresent(nat ->
                found.addAll(of(name, requireNonNull(allocations.tenants().get(name)), nat)));
        }
        return found;
    }

    private static List<Assignment> of(final String tenant, final TenantAllocation given, final Tenant.Nat nat) {
        final List<Assignment> found = new ArrayList<>();
        if (given.publicAddress().isPresent()) {
            final Prefix address = Prefix.host(given.publicAddress().orElseThrow());
            found.add(new Assignment(tenant, given.id(), SOURCE, Optional.empty(), address, Optional.empty(),
                Optional.empty()));
            for (final Tenant.PortForward forward : nat.forwards()) {
                found.add(new Assignment(tenant, given.id(), PORT_FORWARD,
                    Optional.of(Prefix.host(forward.address())), address, Optional.empty(),
                    Optional.of(new Forwarded(forward.protocol(), forward.publicPort(), forward.port()))));
            }
        }
        for (final Tenant.OneToOne mapping : nat.oneToOne()) {
            found.add(of(tenant, given, mapping, Optional.empty()));
        }
        for (final Tenant.Deterministic mapping : nat.deterministic()) {
            found.add(of(tenant, given, mapping, Optional.of(new Blocks(mapping.firstPort(), mapping.blockSize()))));
        }
        for (final Allocations.Block block : given.blocks()) {
            found.add(new Assignment(tenant, given.id(), PORT_BLOCK, Optional.of(Prefix.host(block.subscriber())),
                Prefix.host(block.address()), Optional.of(new Blocks(block.firstPort(), block.ports())),
                Optional.empty()));
        }
        return found;
    }

    private static Assignment of(final String tenant, final TenantAllocation given, final Tenant.Mapping mapping,
            final Optional<Blocks> blocks) {
        return new Assignment(tenant, given.id(), mapping.kind(), Optional.of(mapping.inside()), mapping.outside(),
            blocks, Optional.empty());
    }
}
