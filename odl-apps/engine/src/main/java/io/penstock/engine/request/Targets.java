// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.request;

import static java.util.Objects.requireNonNull;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.common.QNameModule;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.LeafListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.LeafSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.Module;

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
        final EffectiveModelContext context = models.get();
        DataNodeContainer parent = context;
        Optional<QNameModule> module = Optional.empty();
        for (final String segment : path.split("/")) {
            if (segment.isEmpty()) {
                continue;
            }
            final String[] names = decode(segment.split("=", 2)[0]).split(":", 2);
            if (names.length == 2) {
                module = context.findModules(names[0]).stream().findFirst().map(Module::getQNameModule);
            }
            final Optional<DataSchemaNode> node =
                module.isPresent() ? child(parent, module.orElseThrow(), names[names.length - 1]) : Optional.empty();
            if (node.isEmpty()) {
                return Optional.empty();
            }
            if (node.orElseThrow() instanceof LeafListSchemaNode) {
                return Optional.of(Refusal.invalid(decode(path) + ": one value of a leaf-list cannot be changed by"
                    + " itself; write the entry that has the list"));
            }
            if (node.orElseThrow() instanceof LeafSchemaNode leaf) {
                return isKey(parent, leaf) ? Optional.of(Refusal.invalid(decode(path) + ": a key cannot be changed or"
                    + " removed by itself; write or delete the entry")) : Optional.empty();
            }
            if (!(node.orElseThrow() instanceof DataNodeContainer container)) {
                return Optional.empty();
            }
            parent = container;
        }
        return Optional.empty();
    }

    private static Optional<DataSchemaNode> child(final DataNodeContainer parent, final QNameModule module,
            final String name) {
        try {
            return parent.findDataTreeChild(QName.create(module, name));
        } catch (IllegalArgumentException e) {
            // It is no name.
            return Optional.empty();
        }
    }

    private static boolean isKey(final DataNodeContainer parent, final LeafSchemaNode leaf) {
        return parent instanceof ListSchemaNode list && list.getKeyDefinition().contains(leaf.getQName());
    }

    private static String decode(final String text) {
        try {
            // A plus is a plus in a path.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // RESTCONF refuses it.
            return text;
        }
    }
}
