// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.common.QNameModule;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.Module;

/**
 * The nodes that the path of a request leads through, as far as the models have them.
 *
 * @param isWhole whether the models have all of the path
 */
record Steps(List<Step> steps, boolean isWhole) {
    Steps {
        steps = List.copyOf(steps);
    }

    /**
     * A part of a path.
     *
     * @param keys values of the keys of an entry, empty for anything else
     */
    record Step(DataNodeContainer parent, DataSchemaNode node, List<String> keys) { }

    /**
     * Follows a path.
     *
     * @param path below {@code /rests/data}, still percent-encoded
     */
    static Steps of(final EffectiveModelContext context, final String path) {
        final List<Step> steps = new ArrayList<>();
        Optional<DataNodeContainer> parent = Optional.of(context);
        Optional<QNameModule> module = Optional.empty();
        for (final String segment : path.split("/")) {
            if (segment.isEmpty()) {
                continue;
            }
            final String[] parts = segment.split("=", 2);
            final String[] names = decode(parts[0]).split(":", 2);
            if (names.length == 2) {
                module = module(context, names[0]);
            }
            final Optional<DataSchemaNode> node = module.isPresent() && parent.isPresent()
                ? child(parent.orElseThrow(), module.orElseThrow(), names[names.length - 1]) : Optional.empty();
            if (node.isEmpty()) {
                return new Steps(steps, false);
            }
            steps.add(new Step(parent.orElseThrow(), node.orElseThrow(),
                parts.length < 2 ? List.of() : keys(parts[1])));
            parent = node.filter(DataNodeContainer.class::isInstance).map(DataNodeContainer.class::cast);
        }
        return new Steps(steps, true);
    }

    private static List<String> keys(final String text) {
        return List.of(text.split(",", -1)).stream().map(Steps::decode).toList();
    }

    static Optional<QNameModule> module(final EffectiveModelContext context, final String name) {
        return context.findModules(name).stream().findFirst().map(Module::getQNameModule);
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

    static String decode(final String text) {
        try {
            // A plus is a plus in a path.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // RESTCONF refuses it.
            return text;
        }
    }
}
