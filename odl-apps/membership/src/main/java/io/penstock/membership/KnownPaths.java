// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.model.api.ChoiceSchemaNode;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.Module;

/**
 * The paths of all data that a member can store, by its models, each as a hash of its names: a module with another
 * revision has other names. Immutable.
 */
record KnownPaths(Set<Integer> hashes) {
    /** Of no models. */
    static final KnownPaths NONE = new KnownPaths(Set.of());

    private static final int START = 17;

    KnownPaths {
        hashes = Set.copyOf(hashes);
    }

    /** Those of Penstock's modules and of the access lists, which are stored together. */
    static KnownPaths of(final EffectiveModelContext context) {
        final Set<Integer> found = new HashSet<>();
        for (final Module module : context.getModules()) {
            if (module.getName().startsWith("penstock") || "ietf-access-control-list".equals(module.getName())) {
                collect(module, START, found);
            }
        }
        return new KnownPaths(found);
    }

    private static void collect(final DataNodeContainer parent, final int above, final Set<Integer> found) {
        for (final DataSchemaNode child : parent.getChildNodes()) {
            if (child instanceof ChoiceSchemaNode choice) {
                choice.getCases().forEach(each -> collect(each, above, found));
                continue;
            }
            if (child.effectiveConfig().orElse(true)) {
                final int hash = below(above, child.getQName());
                found.add(hash);
                if (child instanceof DataNodeContainer container) {
                    collect(container, hash, found);
                }
            }
        }
    }

    private static int below(final int above, final QName name) {
        return 31 * above + name.toString().hashCode();
    }

    /** Whether data at a path can be stored. The path has no choices, and each list once. */
    boolean has(final List<QName> path) {
        int hash = START;
        for (final QName name : path) {
            hash = below(hash, name);
        }
        return hashes.contains(hash);
    }

    /** Whether all that others can store can be stored. */
    boolean hasAll(final KnownPaths other) {
        return hashes.containsAll(requireNonNull(other).hashes);
    }

    /** As a word, which Akka carries without a serializer of ours. */
    String text() {
        final ByteBuffer bytes = ByteBuffer.allocate(hashes.size() * Integer.BYTES);
        hashes.stream().sorted().forEach(bytes::putInt);
        return Base64.getEncoder().encodeToString(bytes.array());
    }

    /** Reads such a word; nothing for another one. */
    static Optional<KnownPaths> parse(final String text) {
        try {
            final ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
            final Set<Integer> hashes = new HashSet<>();
            while (bytes.remaining() >= Integer.BYTES) {
                hashes.add(bytes.getInt());
            }
            return Optional.of(new KnownPaths(hashes));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
