// SPDX-License-Identifier: Apache-2.0
package io.penstock.access;

import java.util.List;
import java.util.Optional;

/**
 * The paths of a grant. Its parts are those of a path, and
 * <ul>
 * <li>{@code ={tenant}} is the key of a tenant of the user, {@code ={list}} one of an access list of such a tenant:
 *     the name of the tenant, a colon, and anything;</li>
 * <li>{@code !NAME} is any name but this one;</li>
 * <li>{@code **} at the end is everything below, and what it is below.</li>
 * </ul>
 * A part without a key stands for the list, too, and for each entry.
 */
record Pattern(List<String> parts, boolean isDeep) {
    private static final String DEEP = "/**";
    private static final String TENANT = "={tenant}";
    private static final String LIST = "={list}";

    Pattern {
        parts = List.copyOf(parts);
    }

    static Pattern of(final String text) {
        return text.endsWith(DEEP)
            ? new Pattern(List.of(text.substring(0, text.length() - DEEP.length()).split("/")), true)
            : new Pattern(List.of(text.split("/")), false);
    }

    boolean matches(final Resource resource, final User user) {
        final List<Resource.Step> steps = resource.steps();
        if (steps.size() < parts.size() || !isDeep && steps.size() > parts.size()) {
            return false;
        }
        for (int index = 0; index < parts.size(); index++) {
            if (!fits(parts.get(index), steps.get(index), user)) {
                return false;
            }
        }
        return true;
    }

    /** The key that a path must have where the pattern ends, if it has one there. */
    Optional<String> lastKey(final Resource resource) {
        return resource.steps().size() == parts.size() && parts.get(parts.size() - 1).contains("={")
            ? resource.last().flatMap(step -> step.keys().stream().findFirst()) : Optional.empty();
    }

    private static boolean fits(final String part, final Resource.Step step, final User user) {
        if (part.endsWith(TENANT)) {
            return isNamed(part.substring(0, part.length() - TENANT.length()), step) && step.keys().size() == 1
                && user.tenants().contains(step.keys().get(0));
        }
        if (part.endsWith(LIST)) {
            return isNamed(part.substring(0, part.length() - LIST.length()), step) && step.keys().size() == 1
                && user.tenants().stream().anyMatch(tenant -> step.keys().get(0).startsWith(tenant + ":"));
        }
        return part.startsWith("!") ? !isNamed(part.substring(1), step) : isNamed(part, step);
    }

    /** Within a tree the module is that of what is around, unless it is named. */
    private static boolean isNamed(final String name, final Resource.Step step) {
        return name.indexOf(':') >= 0 ? name.equals(step.name()) : name.equals(step.local());
    }
}
