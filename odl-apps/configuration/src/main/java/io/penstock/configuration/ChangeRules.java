// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.rules.SizeRules;
import io.penstock.pipeline.rules.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifier;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifierWithPredicates;
import org.opendaylight.yangtools.yang.data.api.schema.ChoiceNode;
import org.opendaylight.yangtools.yang.data.api.schema.DataContainerChild;
import org.opendaylight.yangtools.yang.data.api.schema.DataContainerNode;
import org.opendaylight.yangtools.yang.data.api.schema.LeafNode;
import org.opendaylight.yangtools.yang.data.api.schema.LeafSetNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapEntryNode;
import org.opendaylight.yangtools.yang.data.api.schema.MapNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeCandidateNode;
import org.opendaylight.yangtools.yang.data.tree.api.ModificationType;

/**
 * The rules for what a change writes, whatever is around it: leaves that an entry needs, prefixes with host bits, and
 * leaves that only a node may set. What is stored and stays is not judged: it was accepted by an earlier version.
 * Not for several threads.
 */
final class ChangeRules {
    private static final String DEVARGS = "node/port/devargs";
    private static final String VHOST_DIRECTORY = "node/vhost-user-directory";
    private static final String NODE = "node";
    private static final String FTP_HELPER = "ftp-helper";
    private static final String PREFIX = "prefix";
    private static final String DRAIN = "drain";
    private static final String ONLY_NODE =
        "is set by the node alone, from its profile; leave it out, or write what the connected node has announced";
    /** The error names fewer. */
    private static final int MOST_VIOLATIONS = 20;

    private final NeededLeaves needed;
    private final Map<String, NodeDevices> announced;
    private final List<Violation> violations = new ArrayList<>();

    private ChangeRules(final NeededLeaves needed, final Map<String, NodeDevices> announced) {
        this.needed = needed;
        this.announced = announced;
    }

    /**
     * The rules that a change breaks, the first ones when it breaks many.
     *
     * @param network the change of the container network of module penstock
     * @param needed the leaves that entries need
     * @param announced what the connected nodes have said of their devices, by name
     */
    static List<Violation> check(final DataTreeCandidateNode network, final NeededLeaves needed,
            final Map<String, NodeDevices> announced) {
        final ChangeRules rules = new ChangeRules(needed, announced);
        rules.check(network, Place.NETWORK);
        return rules.violations;
    }

    /**
     * Where something is below the network.
     *
     * @param labels entries and containers for the error, such as {@code tenant acme}
     * @param path the same without keys and joined by slashes, such as {@code tenant/subnet}
     */
    private record Place(List<String> labels, String path) {
        static final Place NETWORK = new Place(List.of(), "");

        Place below(final NormalizedNode node) {
            final String name = node.getIdentifier().getNodeType().getLocalName();
            return below(name, node.getIdentifier() instanceof NodeIdentifierWithPredicates keys
                ? name + " " + keys.values().stream().map(Object::toString).collect(Collectors.joining(" ")) : name);
        }

        Place below(final String name, final String label) {
            final List<String> more = new ArrayList<>(labels);
            more.add(label);
            return new Place(more, path.isEmpty() ? name : path + "/" + name);
        }

        Violation violation(final String rule) {
            return labels.size() == 1 ? new Violation("network", labels.get(0), rule)
                : new Violation(labels.get(0), String.join(" / ", labels.subList(1, labels.size())), rule);
        }

        /** The key of the outermost entry. */
        String owner() {
            return key(0);
        }

        /** The key of the entry in it. */
        String port() {
            return key(1);
        }

        private String key(final int depth) {
            return labels.get(depth).substring(labels.get(depth).indexOf(' ') + 1);
        }
    }

    /** Goes down along what the change says of itself, which costs nothing for the entries that stay. */
    private void check(final DataTreeCandidateNode change, final Place place) {
        final NormalizedNode after = change.getDataAfter().orElse(null);
        if (after == null || change.getModificationType() == ModificationType.UNMODIFIED
                || violations.size() >= MOST_VIOLATIONS) {
            return;
        }
        if (change.getModificationType() == ModificationType.SUBTREE_MODIFIED && (after instanceof DataContainerNode
                || after instanceof MapNode entries && !isTooLong(entries, place))) {
            if (after instanceof DataContainerNode container) {
                checkNeeded(container, place);
            }
            for (final DataTreeCandidateNode child : change.getChildNodes()) {
                child.getDataAfter().filter(data -> !isOfNoRule(data))
                    .ifPresent(data -> check(child, below(place, data)));
            }
        } else if (!(after instanceof MapNode) || change.getModificationType() != ModificationType.SUBTREE_MODIFIED) {
            check(after, change.getDataBefore().orElse(null), place);
        }
    }

    private void check(final NormalizedNode after, final @Nullable NormalizedNode before, final Place place) {
        // Trees share what a change leaves as it was.
        if (after == before || violations.size() >= MOST_VIOLATIONS) {
            return;
        }
        if (after instanceof DataContainerNode container) {
            final DataContainerNode old = before instanceof DataContainerNode known ? known : null;
            checkNeeded(container, place);
            for (final DataContainerChild child : container.body()) {
                if (isOfNoRule(child)) {
                    continue;
                }
                check(child, old == null ? null : old.childByArg(child.getIdentifier()), below(place, child));
            }
        } else if (after instanceof MapNode entries && isTooLong(entries, place)) {
            // Nothing is looked at that is longer than permitted.
            return;
        } else if (after instanceof MapNode entries) {
            final MapNode old = before instanceof MapNode known ? known : null;
            for (final MapEntryNode entry : entries.body()) {
                final MapEntryNode former = old == null ? null : old.childByArg(entry.getIdentifier());
                // Nearly all entries stay, and to say where each is costs more than to see that.
                if (entry != former) {
                    check(entry, former, place.below(entry));
                }
            }
        } else if (after instanceof LeafSetNode<?> values) {
            values.body().forEach(value -> checkValue(value.body().toString(), place));
        } else if (before == null || !after.body().equals(before.body())) {
            checkValue(after.body().toString(), place);
        }
    }

    private static Place below(final Place place, final NormalizedNode child) {
        return child instanceof ChoiceNode || child instanceof MapNode ? place : place.below(child);
    }

    private boolean isTooLong(final MapNode entries, final Place place) {
        final String name = entries.getIdentifier().getNodeType().getLocalName();
        final Place list = place.below(name, name);
        final int most = SizeRules.LISTS.getOrDefault(list.path(), Integer.MAX_VALUE);
        if (entries.size() > most) {
            add(list, entries.size() + " " + name + "s are more than " + most);
        }
        return entries.size() > most;
    }

    /** Of most leaves only that they are there is looked at: to say where each is takes longer than all rules. */
    private static boolean isOfNoRule(final NormalizedNode child) {
        final String name = child.getIdentifier().getNodeType().getLocalName();
        return (child instanceof LeafNode || child instanceof LeafSetNode) && !name.endsWith(PREFIX)
            && !name.endsWith(DRAIN) && !DEVARGS.endsWith(name) && !VHOST_DIRECTORY.endsWith(name);
    }

    private void checkNeeded(final DataContainerNode entry, final Place place) {
        for (final String leaf : needed.in(place.path())) {
            final QName name = QName.create(entry.getIdentifier().getNodeType(), leaf);
            if (entry.childByArg(NodeIdentifier.create(name)) == null) {
                add(place.below(leaf, leaf), "is missing");
            }
        }
        if (place.path().equals(NODE) && !announced.getOrDefault(place.owner(), NodeDevices.NONE).ftpHelper()
                && !isFalse(entry, FTP_HELPER)) {
            add(place.below(FTP_HELPER, FTP_HELPER), "must be false: a packet to the helper can end the switch of the "
                + "node, which accepts that fault (docs/node-profile.md)");
        }
    }

    private static boolean isFalse(final DataContainerNode entry, final String leaf) {
        final DataContainerChild found =
            entry.childByArg(NodeIdentifier.create(QName.create(entry.getIdentifier().getNodeType(), leaf)));
        return found != null && Boolean.FALSE.equals(found.body());
    }

    private void checkValue(final String value, final Place place) {
        if (place.path().endsWith(PREFIX) || place.path().endsWith(DRAIN)) {
            canonical(value).filter(canonical -> !canonical.equals(value.substring(0, value.indexOf('/'))))
                .ifPresent(canonical -> add(place, value + " has bits of hosts; the prefix is " + canonical
                    + value.substring(value.indexOf('/'))));
        }
        final NodeDevices devices = announced.getOrDefault(place.owner(), NodeDevices.NONE);
        if (place.path().equals(VHOST_DIRECTORY) && !value.equals(devices.vhostUserDirectory())) {
            add(place, ONLY_NODE);
        }
        if (place.path().equals(DEVARGS) && !value.equals(devices.devargs().get(place.port()))) {
            add(place, ONLY_NODE);
        }
    }

    /** The address of a prefix without the bits of hosts; empty when it is no prefix, which others refuse. */
    private static Optional<String> canonical(final String text) {
        try {
            if (!text.contains(":")) {
                return Optional.of(Prefix.parse(text).address().toString());
            }
            final Prefix6 prefix = Prefix6.parse(text);
            final String address = text.substring(0, text.indexOf('/'));
            // An IPv6 address has many texts.
            return Optional.of(Ipv6.parse(address).equals(prefix.address()) ? address : prefix.address().toString());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private void add(final Place place, final String rule) {
        violations.add(place.violation(rule));
    }
}
