// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.LeafListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.LeafSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ListSchemaNode;

/**
 * Refuses changes of what is no entry of its own: the datastore's tree throws at a single value of a leaf-list, and all
 * writers then wait for many seconds; it ignores the removal of a key, and RESTCONF throws at a child of a leaf. Safe
 * for all threads.
 */
final class Targets {
    private final Supplier<EffectiveModelContext> models;

    Targets(final Supplier<EffectiveModelContext> models) {
        this.models = requireNonNull(models);
    }

    /**
     * Judges the path of any request: RESTCONF throws at keys of what has none, and its authentication refuses without
     * a word what is not ASCII.
     *
     * @param path below {@code /rests/data}, still percent-encoded
     */
    Optional<Refusal> refusalOfPath(final String path) {
        final String text = Steps.decode(path);
        if (text.chars().anyMatch(each -> each < ' ' || each > '~')) {
            return Optional.of(Refusal.invalid("a path has printable characters of ASCII alone"));
        }
        return Steps.of(models.get(), path).steps().stream().filter(step -> !step.keys().isEmpty()
                && !(step.node() instanceof ListSchemaNode) && !(step.node() instanceof LeafListSchemaNode))
            .findFirst().map(step -> Refusal.invalid(TypeRules.shortened(text) + ": "
                + step.node().getQName().getLocalName() + " is not a list and has no key"));
    }

    /**
     * Judges the target of a change.
     *
     * @param path below {@code /rests/data}, still percent-encoded
     * @param isParent whether a child of it is changed, as by POST
     * @return why it is refused; empty when RESTCONF is to judge it, also when there is no such node
     */
    Optional<Refusal> refusal(final String path, final boolean isParent) {
        final List<Steps.Step> steps = Steps.of(models.get(), path).steps();
        final String target = TypeRules.shortened(Steps.decode(path));
        for (final Steps.Step step : steps) {
            if (step.node() instanceof LeafListSchemaNode) {
                return Optional.of(Refusal.invalid(target + ": one value of a leaf-list cannot be changed"
                    + " by itself; write the entry that has the list"));
            }
            if (step.node() instanceof LeafSchemaNode leaf && isKey(step.parent(), leaf)) {
                return Optional.of(Refusal.invalid(target + ": a key cannot be changed or removed by"
                    + " itself; write or delete the entry"));
            }
        }
        return isParent && !steps.isEmpty() && steps.get(steps.size() - 1).node() instanceof LeafSchemaNode
            ? Optional.of(Refusal.invalid(target + ": a leaf has nothing in it; write it by PUT"))
            : Optional.empty();
    }

    private static boolean isKey(final DataNodeContainer parent, final LeafSchemaNode leaf) {
        return parent instanceof ListSchemaNode list && list.getKeyDefinition().contains(leaf.getQName());
    }
}
