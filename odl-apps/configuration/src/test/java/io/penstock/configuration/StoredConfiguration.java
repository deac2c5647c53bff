// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.rules.Validator;
import io.penstock.pipeline.rules.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.opendaylight.mdsal.dom.api.DOMDataBroker;
import org.opendaylight.mdsal.dom.api.DOMDataTreeIdentifier;
import org.opendaylight.mdsal.dom.api.DOMDataTreeReadTransaction;
import org.opendaylight.mdsal.dom.api.DOMSchemaService;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;

/**
 * What a datastore has at one moment, read and judged without the guard and without what that remembers.
 *
 * @param allocations what was handed out, of another moment unless the engine has nothing to do
 */
public record StoredConfiguration(Snapshot snapshot, Allocations allocations) {
    /** Reads both trees in one transaction. */
    public static StoredConfiguration read(final DOMSchemaService models, final DOMDataBroker broker,
            final Allocations allocations) {
        try (DOMDataTreeReadTransaction transaction = broker.newReadOnlyTransaction()) {
            return new StoredConfiguration(new NetworkReader(models::getGlobalContext).read(
                read(transaction, ConfigurationPaths.NETWORK), read(transaction, ConfigurationPaths.ACLS)),
                allocations);
        } catch (InterruptedException | ExecutionException | UnreadableException e) {
            throw new AssertionError("what is stored cannot be read", e);
        }
    }

    private static Optional<NormalizedNode> read(final DOMDataTreeReadTransaction transaction,
            final DOMDataTreeIdentifier tree) throws InterruptedException, ExecutionException {
        return transaction.read(tree.getDatastoreType(), tree.getRootIdentifier()).get();
    }

    /** The rules that the configuration breaks by itself, as an engine that starts judges it. */
    public List<Violation> violations() {
        return Validator.validateStored(snapshot, allocations);
    }

    /** The rules that a change would be refused for that changes nothing. The engine has nothing to do. */
    public List<Violation> violationsOfNoChange() {
        return Validator.validate(snapshot, snapshot, allocations);
    }

    /** Public addresses with two owners, and pools whose tenants have none of theirs. The engine has nothing to do. */
    public List<String> conflicts() {
        final List<String> conflicts = new ArrayList<>();
        final List<Owner> owners = new ArrayList<>();
        for (final Tenant tenant : snapshot.tenants().values()) {
            tenant.nat().ifPresent(nat -> {
                final Optional<Ipv4> address = nat.address().or(() -> nat.pool().flatMap(pool ->
                    Optional.ofNullable(allocations.tenants().get(tenant.name())).flatMap(
                        Allocations.TenantAllocation::publicAddress)));
                address.ifPresent(each -> owners.add(new Owner(tenant.name(), Prefix.host(each))));
                nat.pool().map(snapshot.pools()::get).filter(pool -> address.filter(pool::contains).isEmpty())
                    .map(Pool::name).ifPresent(pool -> conflicts.add("tenant " + tenant.name() + " has "
                        + address.map(Ipv4::toString).orElse("no address") + ", which is not in pool " + pool));
                nat.mappings().forEach(mapping -> owners.add(new Owner(tenant.name(), mapping.outside())));
            });
        }
        for (int index = 0; index < owners.size(); index++) {
            for (final Owner other : owners.subList(0, index)) {
                if (owners.get(index).prefix().overlaps(other.prefix())) {
                    conflicts.add(owners.get(index) + " and " + other);
                }
            }
        }
        return conflicts;
    }

    private record Owner(String tenant, Prefix prefix) { }
}
