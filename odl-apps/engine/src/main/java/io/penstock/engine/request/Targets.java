// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.request;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.function.Supplier;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.LeafListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.LeafSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ListSchemaNode;

/**
 * Refuses changes of what is no entry of its own: the datastore's tree throws at a single value of a leaf-list, and all
 * writers then wait for many seconds; and it ignores the removal of a key. Safe for all threads.
 */
final class Targets {
    private final Supplier<EffectiveModelContext> models;

    Targets(final Supplier<EffectiveModelContext> models) {
        this.models = requireNonNull(models);
    }

    /**
     * Judges the target of a change.
     *
     * @param path below {@code /rests/data}, still percent-encoded
     * @return why it is refused; empty when RESTCONF is to judge it, also when there is no such node
     */
    Optional<Refusal> refusal(final String path) {
        for (final Steps.Step step : Steps.of(models.get(), path).steps()) {
            if (step.node() instanceof LeafListSchemaNode) {
                return Optional.of(Refusal.invalid(Steps.decode(path) + ": one value of a leaf-list cannot be changed"
                    + " by itself; write the entry that has the list"));
            }
            if (step.node() instanceof LeafSchemaNode leaf && isKey(step.parent(), leaf)) {
                return Optional.of(Refusal.invalid(Steps.decode(path) + ": a key cannot be changed or removed by"
                    + " itself; write or delete the entry"));
            }
        }
        return Optional.empty();
    }

    private static boolean isKey(final DataNodeContainer parent, final LeafSchemaNode leaf) {
        return parent instanceof ListSchemaNode list && list.getKeyDefinition().contains(leaf.getQName());
    }
}
