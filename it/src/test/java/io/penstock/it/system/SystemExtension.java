// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Starts the {@link EdgeSystem} when the first test asks for it, and stops it after the last one. */
final class SystemExtension implements ParameterResolver {
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
}
