// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Starts the {@link EdgeSystem} when the first test asks for it, and stops it after the last one. Classes share its
 * hosts, so what a class serves on them ends with the class.
 *
 * <p>A class gives the system back as it got it, or fails. After a class that failed there is another system: what the
 * class has broken does not fail those after it.
 */
final class SystemExtension implements AfterAllCallback, ParameterResolver, TestWatcher {
    @Override
    public boolean supportsParameter(final ParameterContext parameter, final ExtensionContext context) {
        return parameter.getParameter().getType() == EdgeSystem.class;
    }

    @Override
    public Object resolveParameter(final ParameterContext parameter, final ExtensionContext context) {
        return edge(context).system();
    }

    private static SharedEdge edge(final ExtensionContext context) {
        return context.getRoot().getStore(Namespace.GLOBAL)
            .getOrComputeIfAbsent(SharedEdge.class, key -> new SharedEdge(), SharedEdge.class);
    }

    @Override
    public void testFailed(final ExtensionContext context, final Throwable cause) {
        edge(context).failed();
    }

    @Override
    public void afterAll(final ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            edge(context).failed();
        }
        edge(context).giveBack(context.getRequiredTestClass().getSimpleName());
    }
}
