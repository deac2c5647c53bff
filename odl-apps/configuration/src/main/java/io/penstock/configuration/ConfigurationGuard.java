// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static java.util.Objects.requireNonNull;

import com.google.common.util.concurrent.FluentFuture;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.rules.Validator;
import io.penstock.pipeline.rules.Violation;
import io.penstock.southbound.ovsdb.NodeAnnouncement;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
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
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNodes;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeCandidateNode;
import org.opendaylight.yangtools.yang.data.tree.api.ModificationType;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses a commit that would leave the configuration in a state which cannot be carried out. Sees the state as it
 * would be after the commit, with all that is being stored before it; nothing is stored when it refuses. Without an
 * engine it refuses everything. Called on threads of the datastore.
 */
final class ConfigurationGuard implements DOMDataTreeCommitCohort {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationGuard.class);
    private static final int MAX_REPORTED = 10;

    private final NetworkReader reader;
    private final Validator validator = new Validator();
    /** Why the disk takes nothing more, for any change of the datastore. */
    private volatile Supplier<Optional<String>> shortage = Optional::empty;
    /** Why the engine does not all that it should, which keeps no change from being taken. */
    private volatile Supplier<Optional<String>> impairment = Optional::empty;
    /** What will keep the engine from something, unless an operator acts. */
    private volatile Supplier<Optional<String>> warning = Optional::empty;
    /** A member of the cluster that cannot store data at a path; empty while all members have the same models. */
    private volatile Supplier<Optional<Function<List<QName>, Optional<String>>>> peers = Optional::empty;
    private volatile boolean allocating;
    private volatile Verdict verdict = new Absent("it has not started yet", Readiness.Level.ABSENT);
    /** The last snapshot that was found good: what is stored, unless a change went past this guard. */
    private volatile @Nullable Snapshot good;
    /** What is wrong with what is stored. */
    private volatile List<Violation> stored = List.of();
    private volatile @Nullable Needs needs;
    private volatile CommitObserver observer = CommitObserver.NONE;

    /** What entries need by the models of a moment. */
    private record Needs(EffectiveModelContext context, NeededLeaves leaves) { }

    /** By what a change is judged. */
    private sealed interface Verdict { }

    /** There is no engine that could carry anything out. */
    private record Absent(String reason, Readiness.Level level) implements Verdict { }

    private record Present(Supplier<Desired> desired, Supplier<List<NodeAnnouncement>> nodes,
        Supplier<Optional<String>> trouble) implements Verdict { }

    /** A guard that refuses everything until there is an engine. */
    ConfigurationGuard(final NetworkReader reader) {
        this.reader = requireNonNull(reader);
    }

    /**
     * Judges from now on by what an engine has.
     *
     * @param desired what is configured and handed out so far
     * @param nodes what the nodes that are connected have said of themselves
     * @param trouble why the engine cannot take over any change, empty when it can
     */
    void judgeBy(final Supplier<Desired> desired, final Supplier<List<NodeAnnouncement>> nodes,
            final Supplier<Optional<String>> trouble) {
        verdict = new Present(requireNonNull(desired), requireNonNull(nodes), requireNonNull(trouble));
    }

    /** Tells how changes fare from now on. */
    void observedBy(final CommitObserver told) {
        observer = requireNonNull(told);
    }

    /** Refuses changes of all trees while there is a shortage. */
    void refuseDuring(final Supplier<Optional<String>> reason) {
        shortage = requireNonNull(reason);
    }

    /**
     * Refuses changes that another member of the cluster cannot store.
     *
     * @param lacking finds such a member for a path; empty while all members have the same models
     */
    void refuseUnknown(final Supplier<Optional<Function<List<QName>, Optional<String>>>> lacking) {
        peers = requireNonNull(lacking);
    }

    /** Tells with the readiness why the engine does not all that it should. */
    void impairedBy(final Supplier<Optional<String>> reason) {
        impairment = requireNonNull(reason);
    }

    /** Tells with the readiness what an operator has to do soon. */
    void warnedBy(final Supplier<Optional<String>> reason) {
        warning = requireNonNull(reason);
    }

    /** Refuses everything from now on, with a reason; {@code level} is that of having no engine. */
    void refuse(final String reason, final Readiness.Level level) {
        verdict = new Absent(reason, level);
    }

    /** Whether changes are carried out now, and if not, why. */
    Readiness readiness() {
        if (verdict instanceof Absent absent) {
            return new Readiness(absent.level(), absent.level() == Readiness.Level.STANDBY ? "" : absent.reason());
        }
        final Optional<String> trouble = ((Present) verdict).trouble().get().or(impairment).or(warning);
        final List<Violation> violations = stored;
        if (trouble.isPresent()) {
            return new Readiness(Readiness.Level.IMPAIRED, trouble.orElseThrow());
        }
        return violations.isEmpty() ? new Readiness(Readiness.Level.READY, "")
            : new Readiness(Readiness.Level.IMPAIRED, "the stored configuration breaks rules and is not carried out; "
                + "change it so that it is valid: " + text(violations));
    }

    /**
     * Judges what is stored once more, before the engine carries it out: a restored copy did not come by a change, and
     * an older release had other rules. Costs nothing where the last change led to it.
     */
    @SuppressWarnings({"checkstyle:IllegalCatch", "ReferenceEquality"})
    Stored judgeStored(final Optional<NormalizedNode> network, final Optional<NormalizedNode> acls,
            final Allocations allocations) {
        Stored judged;
        try {
            final Snapshot snapshot = reader.read(network, acls);
            synchronized (validator) {
                judged = new Stored(snapshot, snapshot == good ? List.of()
                    : Validator.validateStored(snapshot, allocations));
                if (!judged.isValid()) {
                    // What a change repairs is told by the same violations, which a check of all tenants finds.
                    validator.forget();
                }
            }
        } catch (UnreadableException e) {
            judged = new Stored(Snapshot.empty(), List.of(e.violation()));
        } catch (RuntimeException e) {
            LOG.error("Could not check the stored configuration", e);
            judged = new Stored(Snapshot.empty(), List.of(unchecked(e)));
        }
        if (!judged.violations().equals(stored)) {
            stored = judged.violations();
            if (!judged.isValid()) {
                LOG.error("The stored configuration is not carried out: {}", text(judged.violations()));
            } else {
                LOG.info("The stored configuration is valid again");
            }
        }
        return judged;
    }

    @Override
    public FluentFuture<PostCanCommitStep> canCommit(final Object txId, final EffectiveModelContext context,
            final Collection<DOMDataTreeCandidate> candidates) {
        final long begun = System.nanoTime();
        boolean isOurs = false;
        for (final DOMDataTreeCandidate candidate : candidates) {
            final DataTreeCandidateNode root = candidate.getRootNode();
            final Optional<String> foreign = foreign(root);
            if (foreign.isPresent()) {
                return refused(foreign.orElseThrow(), ErrorTag.ACCESS_DENIED);
            }
            final Optional<String> unknown = unknown(root);
            if (unknown.isPresent()) {
                return refused(unknown.orElseThrow(), ErrorTag.RESOURCE_DENIED);
            }
            if (!changes(root, ConfigurationPaths.NETWORK) && !changes(root, ConfigurationPaths.ACLS)) {
                // Others' trees are none of ours, but their entries take room in the same journal.
                final Optional<String> noRoom = shortage.get();
                if (noRoom.isPresent()) {
                    return refused("nothing can be stored: " + noRoom.orElseThrow(), ErrorTag.RESOURCE_DENIED);
                }
                continue;
            }
            isOurs = true;
            final Verdict by = verdict;
            final Optional<String> absence = by instanceof Present present ? present.trouble().get()
                : Optional.of(((Absent) by).reason());
            if (absence.isPresent()) {
                return refused("the configuration cannot be changed, because no engine carries it out: "
                    + absence.orElseThrow(), ErrorTag.RESOURCE_DENIED);
            }
            final List<Violation> violations = violations((Present) by, root, needed(context));
            if (!violations.isEmpty() && !repairs(violations)) {
                observer.refused();
                return refused(joined(violations, Violation::line, "\n"), ErrorTag.INVALID_VALUE);
            }
        }
        return isOurs ? ObservedCommit.since(begun, observer) : PostCanCommitStep.NOOP_SUCCESSFUL_FUTURE;
    }

    /** Why a change of allocations is not the controller's. A client could store a mastership as well as an engine. */
    private Optional<String> foreign(final DataTreeCandidateNode root) {
        return change(root, ConfigurationPaths.ALLOCATIONS).flatMap(change -> allocating
            ? MastershipFence.refused(change)
            : Optional.of("penstock-allocation is written by the controller alone"));
    }

    /** Why another member of the cluster would pass over a change, and lack it from then on. */
    private Optional<String> unknown(final DataTreeCandidateNode root) {
        return peers.get().flatMap(lacking -> StoredPaths.of(root).stream()
            .filter(path -> isPenstocks(path.get(0)))
            .flatMap(path -> lacking.apply(path).map(member -> member + " has models without "
                + joined(path, QName::getLocalName, "/") + ": upgrade it, then change this").stream()).findFirst());
    }

    /** Whether a tree is one whose paths members tell each other. */
    private static boolean isPenstocks(final QName root) {
        return root.getNamespace().toString().startsWith("urn:penstock:")
            || root.equals(ConfigurationPaths.ACLS.getRootIdentifier().getLastPathArgument().getNodeType());
    }

    /** Says that the controller begins to store allocations, or has ended. Others must not change them. */
    void allocates(final boolean begins) {
        allocating = begins;
    }

    /** Whether a change leaves nothing but a part of what is wrong already: what is stored is repaired step by step. */
    private boolean repairs(final List<Violation> violations) {
        final List<Violation> before = stored;
        return violations.size() < before.size() && before.containsAll(violations);
    }

    /** The models change when a module joins the controller. */
    @SuppressWarnings("ReferenceEquality")
    private NeededLeaves needed(final EffectiveModelContext context) {
        Needs known = needs;
        if (known == null || known.context() != context) {
            known = new Needs(context, NeededLeaves.of(context));
            needs = known;
        }
        return known.leaves();
    }

    private static String text(final List<Violation> violations) {
        return joined(violations, Violation::toString, "; ");
    }

    private static <T> String joined(final List<T> violations, final Function<T, String> words,
            final String separator) {
        return violations.stream().limit(MAX_REPORTED).map(words).collect(Collectors.joining(separator))
            + (violations.size() > MAX_REPORTED ? separator + "and " + (violations.size() - MAX_REPORTED) + " more"
                : "");
    }

    private static Violation unchecked(final RuntimeException error) {
        return new Violation("network", "(internal)", "could not be checked: " + error);
    }

    private static FluentFuture<PostCanCommitStep> refused(final String message, final ErrorTag tag) {
        LOG.info("Refused a change: {}", message.replace("\n", "; "));
        // RESTCONF passes the words of a NetconfDocumentedException on to the caller, and of no other exception. The
        // filter of requests divides them by line, and finds entry and leaf in the model.
        return FluentFutures.immediateFailedFluentFuture(new DataValidationFailedException(
            YangInstanceIdentifier.class, ConfigurationPaths.NETWORK.getRootIdentifier(), "refused",
            new NetconfDocumentedException(message, ErrorType.APPLICATION, tag, ErrorSeverity.ERROR)));
    }

    @SuppressWarnings("checkstyle:IllegalCatch")
    private List<Violation> violations(final Present by, final DataTreeCandidateNode root, final NeededLeaves leaves) {
        try {
            final List<NodeAnnouncement> nodes = by.nodes().get();
            final Optional<DataTreeCandidateNode> network =
                root.getModifiedChild(ConfigurationPaths.NETWORK.getRootIdentifier().getLastPathArgument());
            final List<Violation> ofChange = network.map(change ->
                ChangeRules.check(change, leaves, NodeRegistration.devices(nodes))).orElse(List.of());
            if (!ofChange.isEmpty()) {
                return ofChange;
            }
            final Optional<NormalizedNode> acls = child(root.getDataAfter(), ConfigurationPaths.ACLS);
            final Snapshot snapshot = network.isPresent() ? reader.read(network.orElseThrow(), acls)
                : reader.read(child(root.getDataAfter(), ConfigurationPaths.NETWORK), acls);
            final Desired before = by.desired().get();
            synchronized (validator) {
                final List<Violation> violations = validator.validateAgain(snapshot, before.snapshot(),
                    before.allocations(), NodeRegistration.facts(nodes));
                if (violations.isEmpty()) {
                    good = snapshot;
                }
                return violations;
            }
        } catch (UnreadableException e) {
            return List.of(e.violation());
        } catch (RuntimeException e) {
            // A bug of ours must refuse the change, not let it through unchecked.
            LOG.error("Could not check a change", e);
            return List.of(unchecked(e));
        }
    }

    private static boolean changes(final DataTreeCandidateNode root, final DOMDataTreeIdentifier tree) {
        return change(root, tree).isPresent();
    }

    private static Optional<DataTreeCandidateNode> change(final DataTreeCandidateNode root,
            final DOMDataTreeIdentifier tree) {
        return root.getModifiedChild(tree.getRootIdentifier().getLastPathArgument())
            .filter(child -> child.getModificationType() != ModificationType.UNMODIFIED);
    }

    private static Optional<NormalizedNode> child(final Optional<NormalizedNode> root,
            final DOMDataTreeIdentifier tree) {
        return root.flatMap(data -> NormalizedNodes.findNode(data, tree.getRootIdentifier().getLastPathArgument()));
    }
}
