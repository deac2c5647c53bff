// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.opendaylight.mdsal.common.api.LogicalDatastoreType.CONFIGURATION;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.opendaylight.mdsal.binding.api.WriteOperations;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.Ipv4AddressNoZone;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.MacAddress;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Tenant;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.LeaseBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.LeaseKey;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.yang.binding.util.BindingMap;
import org.opendaylight.yangtools.yang.common.Uint32;

/** Leases to and from their YANG form. */
final class LeaseCodec {
    private LeaseCodec() {
        // Only functions.
    }

    static Lease read(
            final org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Lease stored) {
        return new Lease(Ipv4.parse(stored.getAddress().getValue()),
            Lease.State.valueOf(stored.getState().getName().toUpperCase(Locale.ROOT)), stored.getClient(),
            Mac.parse(stored.getMac().getValue()), textOf(stored.getAttachment()), textOf(stored.getHostName()),
            stored.getExpires().toJava());
    }

    /** Puts into a transaction what differs: a tenant may have thousands, of which one is new. */
    static void write(final WriteOperations transaction, final InstanceIdentifier<Tenant> tenant,
            final List<Lease> from, final List<Lease> to) {
        if (from.equals(to)) {
            return;
        }
        final Map<Ipv4, Lease> had = new HashMap<>();
        from.forEach(lease -> had.put(lease.address(), lease));
        for (final Lease lease : to) {
            if (!lease.equals(had.remove(lease.address()))) {
                final var stored = store(lease);
                transaction.put(CONFIGURATION, tenant.child(
                    org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Lease.class,
                    stored.key()), stored);
            }
        }
        had.keySet().forEach(gone -> transaction.delete(CONFIGURATION, tenant.child(
            org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Lease.class,
            new LeaseKey(address(gone)))));
    }

    static Map<LeaseKey, org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Lease>
            leases(final List<Lease> leases) {
        return leases.stream().map(LeaseCodec::store).collect(BindingMap.toMap());
    }

    private static org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Lease store(
            final Lease lease) {
        final LeaseBuilder builder = new LeaseBuilder().setAddress(address(lease.address()))
            .setState(org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Lease.State
                .ofName(lease.state().name().toLowerCase(Locale.ROOT)))
            .setClient(lease.client()).setMac(new MacAddress(lease.mac().toString()))
            .setExpires(Uint32.valueOf(lease.expires()));
        if (!lease.attachment().isEmpty()) {
            builder.setAttachment(lease.attachment());
        }
        if (!lease.hostName().isEmpty()) {
            builder.setHostName(lease.hostName());
        }
        return builder.build();
    }

    private static Ipv4AddressNoZone address(final Ipv4 address) {
        return new Ipv4AddressNoZone(address.toString());
    }

    private static String textOf(final String value) {
        return value == null ? "" : value;
    }
}
