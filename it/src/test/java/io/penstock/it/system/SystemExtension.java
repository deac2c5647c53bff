// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Starts the {@link EdgeSystem} when the first test asks for it, and stops it after the last one. Classes share its
 * hosts, so what a class serves on them ends with the class.
 */
final class SystemExtension implements AfterAllCallback, ParameterResolver {
    /** The system as the store of the whole run keeps it. */
    private record Shared(EdgeSystem system) implements CloseableResource {
        @Override
        public void close() {
            system.close();
        }
    }

    @Override
    public boolean supportsParameter(final ParameterContext parameter, final ExtensionContext context) {
        return parameter.getParameter().getType() == EdgeSystem.class;
    }

    @Override
    public Object resolveParameter(final ParameterContext parameter, final ExtensionContext context) {
        return context.getRoot().getStore(Namespace.GLOBAL)
            .getOrComputeIfAbsent(EdgeSystem.class, key -> new Shared(EdgeSystem.start()), Shared.class).system();
    }

    @Override
    public void afterAll(final ExtensionContext context) {
        final Shared shared = context.getRoot().getStore(Namespace.GLOBAL).get(EdgeSystem.class, Shared.class);
        if (shared != null) {
            shared.system().nodes().forEach(node -> node.network().stopServers());
        }
    }
}
