// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Starts the {@link Edge} when the first test asks for it, and stops it after the last one. */
final class EdgeExtension implements ParameterResolver {
    /** The edge as the store of the whole run keeps it. */
    private record Shared(Edge edge) implements CloseableResource {
        @Override
        public void close() {
            edge.close();
        }
    }

    @Override
    public boolean supportsParameter(final ParameterContext parameter, final ExtensionContext context) {
        return parameter.getParameter().getType() == Edge.class;
    }

    @Override
    public Object resolveParameter(final ParameterContext parameter, final ExtensionContext context) {
        return context.getRoot().getStore(Namespace.GLOBAL)
            .getOrComputeIfAbsent(Edge.class, key -> new Shared(new Edge()), Shared.class).edge();
    }
}
