// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static java.util.Objects.requireNonNull;

import io.penstock.requests.Refusal.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.access.control.list.rev190304.Acls;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.model.api.ContainerSchemaNode;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.ListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.TypedDataSchemaNode;
import org.opendaylight.yangtools.yang.model.util.SchemaInferenceStack;

/**
 * Divides the message of the check at commit into its violations, one on each line, and tells where in the model each
 * is, from its words: {@code tenant acme: attachment lan / vlan: ...}. RESTCONF passes nothing but this message on.
 * Safe for all threads.
 */
final class Subjects {
    private static final String PART = ": ";
    private static final String MORE = "and ";

    private final Supplier<EffectiveModelContext> models;

    Subjects(final Supplier<EffectiveModelContext> models) {
        this.models = requireNonNull(models);
    }

    /** The violations of a message; one problem without a path for any other message. */
    List<Problem> problems(final String tag, final String message) {
        final List<Problem> problems = new ArrayList<>();
        for (final String line : message.split("\n")) {
            if (!problems.isEmpty() && line.startsWith(MORE)) {
                final Problem last = problems.remove(problems.size() - 1);
                problems.add(new Problem(tag, last.message() + "; " + line, last.path()));
            } else if (problems.size() < Refusal.MOST_PROBLEMS) {
                problems.add(new Problem(tag, line, path(line)));
            }
        }
        return problems;
    }

    /** The instance identifier of what a violation is about, as far as its words lead; empty if they lead nowhere. */
    private String path(final String line) {
        final String[] parts = line.split(PART, 3);
        return parts.length < 3 ? "" : new Walk(models.get()).path(parts[0], parts[1].split(" / "));
    }

    /** A way through the model. Not for several threads. */
    private static final class Walk {
        private final EffectiveModelContext context;
        private final SchemaInferenceStack stack;
        private final Values values;
        private @Nullable Trail trail;
        private @Nullable DataNodeContainer in;
        private String leaf = "";

        Walk(final EffectiveModelContext context) {
            this.context = context;
            stack = SchemaInferenceStack.of(context);
            values = new Values(context, stack);
        }

        String path(final String entry, final String[] leaves) {
            final QName tree = entry.startsWith("acl") ? Acls.QNAME : Network.QNAME;
            trail = Trail.tree(tree);
            in = (DataNodeContainer) stack.enterDataTree(tree);
            boolean leads = entry.equals(tree.getLocalName()) || leads(entry);
            if (!leads) {
                return "";
            }
            for (int index = 0; index < leaves.length && leads; index++) {
                leads = leads(leaves[index]);
            }
            return trail.path(context) + leaf;
        }

        /** Follows words, such as {@code subnet lan}; whether all of them were steps. */
        private boolean leads(final String words) {
            final String[] parts = words.split(" ", 2);
            final Optional<DataSchemaNode> child = child(parts[0]);
            if (child.isEmpty()) {
                // RFC 8519 has a container around entries that the words do without.
                return !parts[0].endsWith("s") && leads(parts[0] + "s") && leads(words);
            }
            if (child.orElseThrow() instanceof ListSchemaNode list) {
                return parts.length == 2 && entry(list, parts[1]);
            }
            if (child.orElseThrow() instanceof ContainerSchemaNode container) {
                stack.enterDataTree(container.getQName());
                trail = requireNonNull(trail).inside(container.getQName());
                in = container;
                return parts.length == 1 || leads(parts[1]);
            }
            leaf = "/" + parts[0];
            in = null;
            return true;
        }

        private Optional<DataSchemaNode> child(final String name) {
            try {
                return in instanceof DataSchemaNode parent
                    ? in.findDataTreeChild(QName.create(parent.getQName(), name)) : Optional.empty();
            } catch (IllegalArgumentException e) {
                // It is no name.
                return Optional.empty();
            }
        }

        /** Keys are told with spaces or slashes between them; where the words have others, types differ. */
        private boolean entry(final ListSchemaNode list, final String words) {
            final List<QName> names = list.getKeyDefinition();
            final List<String> keys = names.size() == 1 ? List.of(words)
                : List.of(words.split(words.contains(" ") ? " " : "/"));
            final Trail entry = requireNonNull(trail).entry(list);
            stack.enterDataTree(list.getQName());
            if (keys.size() != names.size()) {
                return false;
            }
            for (int index = 0; index < keys.size(); index++) {
                final TypedDataSchemaNode key = (TypedDataSchemaNode) stack.enterDataTree(names.get(index));
                if (!values.isOfItsType(key, keys.get(index))) {
                    return false;
                }
                stack.exit();
                entry.learn(names.get(index).getLocalName(), keys.get(index));
            }
            trail = entry;
            in = list;
            return true;
        }
    }
}
