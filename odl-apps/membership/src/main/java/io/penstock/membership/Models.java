// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/** The models of this member, and what the others have told of theirs. Safe for all threads. */
final class Models implements PeerModels {
    private final Supplier<EffectiveModelContext> context;
    private final Map<String, KnownPaths> told = new ConcurrentHashMap<>();
    private volatile Set<String> present = Set.of();
    private volatile @Nullable Own known;

    private record Own(EffectiveModelContext context, KnownPaths paths) { }

    /** context: of this member; it grows while the controller starts. */
    Models(final Supplier<EffectiveModelContext> context) {
        this.context = requireNonNull(context);
    }

    /** Those of this member. */
    @SuppressWarnings("ReferenceEquality")
    KnownPaths own() {
        final EffectiveModelContext now = context.get();
        Own found = known;
        if (found == null || found.context() != now) {
            found = new Own(now, KnownPaths.of(now));
            known = found;
        }
        return found.paths();
    }

    /** Another member has told of its models. */
    void tell(final String member, final KnownPaths paths) {
        told.put(member, paths);
    }

    /** These other members are a part of the cluster. */
    void present(final Set<String> members) {
        present = Set.copyOf(members);
    }

    /** Whether another member has told of its models. */
    boolean isTold(final String member) {
        return told.containsKey(member);
    }

    /** Whether this member can store all that another one may have stored. */
    boolean covers(final String member) {
        return own().hasAll(told.getOrDefault(member, KnownPaths.NONE));
    }

    @Override
    public boolean differ() {
        return present.stream().anyMatch(member -> !own().equals(told.getOrDefault(member, KnownPaths.NONE)));
    }

    @Override
    public Optional<String> lacking(final List<QName> path) {
        return present.stream().filter(member -> !told.getOrDefault(member, KnownPaths.NONE).has(path)).sorted()
            .findFirst();
    }
}
