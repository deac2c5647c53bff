// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static java.util.Objects.requireNonNull;

import io.penstock.operations.Names;
import io.penstock.operations.Operations;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The operator's view on a member that stands by: it knows no names, and refuses all else. Safe for all threads. */
final class StandbyOperations implements InvocationHandler {
    private static final Names NONE = new Names(Collections.emptySortedSet(), Collections.emptySortedSet(),
        Collections.emptySortedSet());

    private final Supplier<Optional<String>> leader;

    private StandbyOperations(final Supplier<Optional<String>> leader) {
        this.leader = requireNonNull(leader);
    }

    /** Refuses with the name of the member that leads. */
    static Operations of(final Supplier<Optional<String>> leader) {
        return (Operations) Proxy.newProxyInstance(Operations.class.getClassLoader(), new Class<?>[] {Operations.class},
            new StandbyOperations(leader));
    }

    @Override
    public @Nullable Object invoke(final Object proxy, final Method method, final Object @Nullable [] arguments) {
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "operations of a member that stands by";
            };
        }
        if (method.getReturnType() == Names.class) {
            return NONE;
        }
        throw new IllegalStateException(leader.get().map(member -> "this member stands by: use the console of " + member
            + ", which leads").orElse("this member stands by, and does not know which one leads: try again"));
    }
}
