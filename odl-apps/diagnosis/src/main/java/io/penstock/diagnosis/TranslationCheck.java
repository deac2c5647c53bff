// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.AddressPorts;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Ipv4;
import java.util.List;
import java.util.Optional;

/** Whether the source of the packet is translated to a public address. */
final class TranslationCheck implements Check {
    @Override
    public void look(final Subject subject, final Walk walk) {
        final Tenant tenant = subject.tenant();
        final Optional<TenantAllocation> given = subject.facts().given();
        if (tenant.nat().isEmpty() || given.isEmpty()) {
            return;
        }
        final Tenant.Nat nat = tenant.nat().orElseThrow();
        final Optional<FiveTuple> packet = subject.packet().filter(each -> each.family() == IpFamily.IPV4
            && RouteCheck.leaves(subject, each));
        if (packet.isPresent()) {
            translated(tenant, nat, given.orElseThrow(), packet.orElseThrow().source4(), walk);
        } else if (subject.packet().isEmpty() && nat.hasSource() && given.orElseThrow().publicAddress().isEmpty()) {
            noAddress(tenant, nat, walk);
        }
    }

    /** The public address of a host, as far as it is known before a connection begins. */
    static Optional<Ipv4> publicAddress(final Tenant.Nat nat, final TenantAllocation given, final Ipv4 host) {
        for (final Tenant.Mapping mapping : nat.mappings()) {
            if (mapping.inside().contains(host)) {
                if (mapping instanceof Tenant.OneToOne pair) {
                    return Optional.of(pair.outside().address().plus(host.minus(pair.inside().address())));
                }
                if (mapping instanceof Tenant.Deterministic fixed) {
                    return Optional.of(fixed.blockOf(host).address());
                }
                return given.blocks().stream().filter(block -> block.subscriber().equals(host)).map(Block::address)
                    .findFirst();
            }
        }
        return given.publicAddress();
    }

    private static void translated(final Tenant tenant, final Tenant.Nat nat, final TenantAllocation given,
            final Ipv4 host, final Walk walk) {
        final Optional<Tenant.PortBlocks> blocks = nat.portBlocks().stream()
            .filter(each -> each.inside().contains(host)).findFirst();
        if (blocks.isPresent()) {
            subscriber(tenant, blocks.orElseThrow(), given, host, walk);
            return;
        }
        final Optional<Tenant.Deterministic> fixed = nat.deterministic().stream()
            .filter(each -> each.inside().contains(host)).findFirst();
        if (fixed.isPresent()) {
            final AddressPorts block = fixed.orElseThrow().blockOf(host);
            walk.passes(Stage.TRANSLATION, "The source is translated to " + block.address() + ", ports "
                + block.ports().low() + " to " + block.ports().high() + ".");
            return;
        }
        publicAddress(nat, given, host).ifPresentOrElse(address -> walk.passes(Stage.TRANSLATION,
            "The source is translated to " + address + "."), () -> {
                if (nat.hasSource()) {
                    noAddress(tenant, nat, walk);
                } else {
                    walk.fails(Stage.TRANSLATION, Cause.NO_PUBLIC_ADDRESS, "No entry of nat of tenant " + tenant.name()
                        + " translates " + host + ", so its packets to the backbone are dropped.",
                        "Add the address to an entry of nat, or give the tenant a pool.");
                }
            });
    }

    private static void noAddress(final Tenant tenant, final Tenant.Nat nat, final Walk walk) {
        walk.fails(Stage.TRANSLATION, Cause.NO_PUBLIC_ADDRESS, "Tenant " + tenant.name() + " has no public address"
            + nat.pool().map(pool -> ": pool " + pool + " had none left").orElse("") + ".",
            "Add a prefix to the pool, or release an address.");
    }

    private static void subscriber(final Tenant tenant, final Tenant.PortBlocks mapping, final TenantAllocation given,
            final Ipv4 host, final Walk walk) {
        final List<Block> own = given.blocks().stream().filter(block -> block.subscriber().equals(host)).toList();
        if (!own.isEmpty()) {
            walk.passes(Stage.TRANSLATION, "Subscriber " + host + " has " + own.size() + " of at most "
                + mapping.mostBlocks() + " port blocks, at " + own.get(0).address() + ".");
            return;
        }
        final long all = mapping.outside().size() * mapping.blocksOfAddress();
        final long used = given.blocks().stream().filter(block -> block.isOf(mapping)).count();
        if (used >= all) {
            walk.fails(Stage.TRANSLATION, Cause.BLOCKS_USED_UP, "All " + all + " port blocks of " + mapping.outside()
                + " are in use, so subscriber " + host + " of tenant " + tenant.name() + " gets none.",
                "Add public addresses, or make the blocks smaller.");
        } else {
            walk.passes(Stage.TRANSLATION, "Subscriber " + host + " has no port block yet, and gets one of "
                + (all - used) + " free ones with its first packet.");
        }
    }
}
