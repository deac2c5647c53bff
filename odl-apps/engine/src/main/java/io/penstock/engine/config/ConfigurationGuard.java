// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.config;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.FluentFuture;
import io.penstock.engine.config.ConfigurationStore.Trees;
import io.penstock.pipeline.intent.NodeFacts;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Validator;
import io.penstock.pipeline.intent.Violation;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.opendaylight.mdsal.common.api.DataValidationFailedException;
import org.opendaylight.mdsal.common.api.PostCanCommitStep;
import org.opendaylight.mdsal.dom.api.DOMDataTreeCandidate;
import org.opendaylight.mdsal.dom.api.DOMDataTreeCommitCohort;
import org.opendaylight.mdsal.dom.api.DOMDataTreeIdentifier;
import org.opendaylight.netconf.api.NetconfDocumentedException;
import org.opendaylight.yangtools.util.concurrent.FluentFutures;
import org.opendaylight.yangtools.yang.common.ErrorSeverity;
import org.opendaylight.yangtools.yang.common.ErrorTag;
import org.opendaylight.yangtools.yang.common.ErrorType;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses a commit that would leave the configuration in a state which cannot be carried out. Sees the state as it
 * would be after the commit; nothing is stored when it refuses. Called on threads of the datastore.
 */
final class ConfigurationGuard implements DOMDataTreeCommitCohort {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationGuard.class);
    private static final int MAX_REPORTED = 10;

    private final Supplier<Trees> stored;
    private final NetworkReader reader;
    private final Supplier<Desired> desired;
    private final Supplier<Map<String, NodeFacts>> facts;
    private final Validator validator = new Validator();

    /**
     * A guard that completes a change of one tree with the stored state of the other.
     *
     * @param facts what the nodes that are connected have said that they have, by name
     */
    ConfigurationGuard(final Supplier<Trees> stored, final NetworkReader reader,
            final Supplier<Desired> desired, final Supplier<Map<String, NodeFacts>> facts) {
        this.stored = requireNonNull(stored);
        this.reader = requireNonNull(reader);
        this.desired = requireNonNull(desired);
        this.facts = requireNonNull(facts);
    }

    @Override
    public FluentFuture<PostCanCommitStep> canCommit(final Object txId, final EffectiveModelContext context,
            final Collection<DOMDataTreeCandidate> candidates) {
        final Trees trees = stored.get();
        Optional<NormalizedNode> network = trees.network();
        Optional<NormalizedNode> acls = trees.acls();
        for (final DOMDataTreeCandidate candidate : candidates) {
            if (isTree(candidate, ConfigurationPaths.NETWORK)) {
                network = candidate.getRootNode().getDataAfter();
            } else if (isTree(candidate, ConfigurationPaths.ACLS)) {
                acls = candidate.getRootNode().getDataAfter();
            }
        }
        final List<Violation> violations = violations(network, acls);
        if (violations.isEmpty()) {
            return PostCanCommitStep.NOOP_SUCCESSFUL_FUTURE;
        }
        final String message = violations.stream().limit(MAX_REPORTED).map(Violation::toString)
            .collect(Collectors.joining("; "))
            + (violations.size() > MAX_REPORTED ? "; and " + (violations.size() - MAX_REPORTED) + " more" : "");
        LOG.info("Refused a change: {}", message);
        // RESTCONF passes the words of a NetconfDocumentedException on to the caller, and of no other exception.
        return FluentFutures.immediateFailedFluentFuture(new DataValidationFailedException(
            YangInstanceIdentifier.class, ConfigurationPaths.NETWORK.getRootIdentifier(), "refused",
            new NetconfDocumentedException(message, ErrorType.APPLICATION, ErrorTag.INVALID_VALUE,
                ErrorSeverity.ERROR)));
    }

    @SuppressWarnings("checkstyle:IllegalCatch")
    private List<Violation> violations(final Optional<NormalizedNode> network, final Optional<NormalizedNode> acls) {
        try {
            final Snapshot snapshot = reader.read(network, acls);
            final Desired before = desired.get();
            synchronized (validator) {
                return validator.validateAgain(snapshot, before.snapshot(), before.allocations(), facts.get());
            }
        } catch (UnreadableException e) {
            return List.of(e.violation());
        } catch (RuntimeException e) {
            // A bug of ours must refuse the change, not let it through unchecked.
            LOG.error("Could not check a change", e);
            return List.of(new Violation("network", "(internal)", "could not be checked: " + e));
        }
    }

    private static boolean isTree(final DOMDataTreeCandidate candidate, final DOMDataTreeIdentifier tree) {
        return candidate.getRootPath().getRootIdentifier().equals(tree.getRootIdentifier());
    }
}
