// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.common.QNameModule;
import org.opendaylight.yangtools.yang.model.api.ChoiceSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ContainerSchemaNode;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.LeafListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.LeafSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.TypeDefinition;
import org.opendaylight.yangtools.yang.model.api.TypedDataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.type.BooleanTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.EmptyTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.EnumTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.IdentityrefTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.Int64TypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.LeafrefTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.RangeRestrictedTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.StringTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.Uint64TypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.UnionTypeDefinition;

/**
 * For each list and leaf-list of the configuration the largest and oddest requests that change it, made from the models
 * alone: a list that is added to them is here too.
 */
public final class LargestRequests {
    /** What the filter lets through. */
    public static final int MOST_BYTES = (16 << 20) - 1;

    private static final String NETWORK = "penstock:network";
    private static final String ACLS = "ietf-access-control-list:acls";
    /** Longer strings than any that is meant. */
    private static final int LONG = 4096;
    private static final int LONGEST_NAME = 48;
    private static final int NESTED = 40;
    private static final int FEW = 20;
    /** Refused before anything else is looked at. */
    private static final List<String> OF_NODES = List.of("devargs", "vhost-user-directory");
    private static final List<String> PREFIXES = List.of("prefix", "drain");
    private static final List<String> ADDRESSES = List.of("address", "gateway", "next-hop", "first", "last", "router",
        "dns-server", "ntp-server", "rdnss", "next-server", "upstream");

    private final Map<String, Pattern> patterns = new HashMap<>();
    private final EffectiveModelContext models;
    private final String node;

    /** Requests by the models of a controller that has a node of this name. */
    public LargestRequests(final EffectiveModelContext models, final String node) {
        this.models = models;
        this.node = node;
    }

    /** What the entries of a request are like. */
    public enum Kind {
        /** Each another one, with all leaves. */
        DISTINCT,
        /** Nothing but their keys. */
        KEYS,
        /** The same again and again. */
        SAME,
        /** Prefixes in prefixes, with all leaves. */
        OVERLAPPING,
        /** The longest strings and the greatest numbers. */
        EXTREME,
        /** Objects and lists in the place of values. */
        ODD
    }

    /**
     * A request.
     *
     * @param list the names that lead to the list, such as {@code tenant/subnet}
     * @param path below {@code /rests/data}, for a PATCH
     */
    public record Request(String list, Kind kind, String path, String document) {
        @Override
        public String toString() {
            return list + " " + kind + ", " + document.length() + " characters";
        }
    }

    /** A list or leaf-list, and the containers and lists that it is in, the outermost first. */
    public record Target(String root, List<DataSchemaNode> parents, DataSchemaNode list) {
        /** Names that lead to it, such as {@code tenant/subnet}. */
        public String name() {
            return parents.stream().map(parent -> parent.getQName().getLocalName() + "/")
                .collect(Collectors.joining("", root.equals(ACLS) ? "acls/" : "", list.getQName().getLocalName()));
        }
    }

    /** All lists and leaf-lists of the configuration. */
    public List<Target> targets() {
        final List<Target> targets = new ArrayList<>();
        for (final String root : List.of(NETWORK, ACLS)) {
            find(root, List.of(), container(root), targets);
        }
        return targets;
    }

    private DataNodeContainer container(final String root) {
        return (ContainerSchemaNode) models.findDataTreeChild(QName.create(module(root),
            root.substring(root.indexOf(':') + 1))).orElseThrow();
    }

    private QNameModule module(final String root) {
        return models.findModules(root.substring(0, root.indexOf(':'))).iterator().next().getQNameModule();
    }

    private static void find(final String root, final List<DataSchemaNode> parents, final DataNodeContainer in,
            final List<Target> targets) {
        for (final DataSchemaNode child : dataChildren(in)) {
            if (child instanceof ListSchemaNode || child instanceof LeafListSchemaNode) {
                targets.add(new Target(root, parents, child));
            }
            if (child instanceof DataNodeContainer container) {
                final List<DataSchemaNode> more = new ArrayList<>(parents);
                more.add(child);
                find(root, more, container, targets);
            }
        }
    }

    /** What may be configured in a container, that of choices too. */
    private static List<DataSchemaNode> dataChildren(final DataNodeContainer in) {
        final List<DataSchemaNode> children = new ArrayList<>();
        for (final DataSchemaNode child : in.getChildNodes()) {
            if (child.effectiveConfig().orElse(true)) {
                if (child instanceof ChoiceSchemaNode choice) {
                    choice.getCases().forEach(each -> children.addAll(dataChildren(each)));
                } else {
                    children.add(child);
                }
            }
        }
        return children;
    }

    /**
     * A request that fills a list.
     *
     * @param entries how many, if so many are permitted in one request
     */
    public Request request(final Target target, final Kind kind, final int entries) {
        final StringBuilder text = new StringBuilder("{\"").append(target.root()).append("\":{");
        final StringBuilder end = new StringBuilder("}}");
        QNameModule module = module(target.root());
        for (final DataSchemaNode parent : target.parents()) {
            text.append(name(parent, module)).append(parent instanceof ListSchemaNode list
                ? ":[{" + leaves(target, list, Kind.KEYS, 0) + "," : ":{");
            end.insert(0, parent instanceof ListSchemaNode ? "}]" : "}");
            module = parent.getQName().getModule();
        }
        text.append(name(target.list(), module)).append(":[");
        end.insert(0, "]");
        for (int index = 0; index < entries; index++) {
            final String entry = entry(target, kind, index);
            if (text.length() + entry.length() + end.length() >= MOST_BYTES) {
                break;
            }
            text.append(index == 0 ? "" : ",").append(entry);
        }
        return new Request(target.name(), kind, target.root(), text.append(end).toString());
    }

    private String name(final DataSchemaNode child, final QNameModule parent) {
        final QNameModule module = child.getQName().getModule();
        return quoted((module.equals(parent) ? "" : models.findModule(module).orElseThrow().getName() + ":")
            + child.getQName().getLocalName());
    }

    private String entry(final Target target, final Kind kind, final int index) {
        if (kind == Kind.ODD && index < FEW) {
            final String odd = "[".repeat(index + 1) + "{\"x\":".repeat(NESTED - FEW) + "null" + "}".repeat(
                NESTED - FEW) + "]".repeat(index + 1);
            return target.list() instanceof ListSchemaNode list
                ? "{\"" + list.getKeyDefinition().get(0).getLocalName() + "\":" + odd + "}" : odd;
        }
        final int number = kind == Kind.SAME ? 0 : index;
        if (target.list() instanceof ListSchemaNode list) {
            return "{" + leaves(target, list, kind, number) + "}";
        }
        return value(target, (TypedDataSchemaNode) target.list(), kind, number);
    }

    private String leaves(final Target target, final ListSchemaNode list, final Kind kind, final int index) {
        final List<String> leaves = new ArrayList<>();
        for (final DataSchemaNode child : dataChildren(list)) {
            if (child instanceof LeafSchemaNode leaf && !OF_NODES.contains(leaf.getQName().getLocalName())
                    && (kind != Kind.KEYS || list.getKeyDefinition().contains(leaf.getQName()))) {
                leaves.add(quoted(leaf.getQName().getLocalName()) + ":" + value(target, leaf, kind, index));
            }
        }
        return String.join(",", leaves);
    }

    private String value(final Target target, final TypedDataSchemaNode leaf, final Kind kind, final int index) {
        final String name = leaf.getQName().getLocalName();
        final boolean six = target.parents().stream().anyMatch(each -> each.getQName().getLocalName().equals("ipv6"))
            || name.contains("ipv6");
        if (name.equals("node")) {
            return quoted(node);
        }
        if (name.equals("port") && leaf.getType() instanceof LeafrefTypeDefinition) {
            // A key of the interfaces, of which one alone is a port of the node.
            return quoted(target.name().startsWith("backbone") ? "up" + index : "acc0");
        }
        if (name.equals("mac")) {
            return quoted("02:00:%02x:%02x:%02x:%02x".formatted(index >> 24, index >> 16 & 0xff, index >> 8 & 0xff,
                index & 0xff));
        }
        if (leaf.getType() instanceof StringTypeDefinition || isText(leaf.getType())) {
            if (name.endsWith("ipv4-network") || name.endsWith("ipv6-network")
                    || PREFIXES.stream().anyMatch(name::endsWith)) {
                return quoted(prefix(name, six, kind, index));
            }
            if (ADDRESSES.stream().anyMatch(name::endsWith) || name.equals("data")) {
                return quoted(six ? six(index) : four(0x0a000000L + index + 2));
            }
        }
        return ofType(leaf.getType(), kind, index);
    }

    /** Whether a type is a union of texts, as IPv4 or IPv6 addresses are. */
    private static boolean isText(final TypeDefinition<?> type) {
        return type instanceof UnionTypeDefinition union
            && union.getTypes().stream().allMatch(StringTypeDefinition.class::isInstance);
    }

    private static String prefix(final String name, final boolean six, final Kind kind, final int index) {
        if (six) {
            return kind == Kind.OVERLAPPING ? "2001:db8::/" + (32 + index % 96) : six(index) + "/128";
        }
        final long start = name.contains("public") || name.contains("outside") ? 0x3c000000L : 0x0a000000L;
        // The types of translated prefixes have no shorter ones.
        final int shortest = name.startsWith("public") || name.startsWith("inside") ? 24 : 8;
        final int lengths = 33 - shortest;
        final int length = kind == Kind.OVERLAPPING ? shortest + index % lengths : 32;
        final long step = kind == Kind.OVERLAPPING ? (long) (index / lengths) << 8 : index;
        return four((start + step) >> 32 - length << 32 - length) + "/" + length;
    }

    private static String four(final long address) {
        return "%d.%d.%d.%d".formatted(address >> 24 & 0xff, address >> 16 & 0xff, address >> 8 & 0xff,
            address & 0xff);
    }

    private static String six(final int index) {
        return "2001:db8::%x:%x".formatted(index >> 16, index & 0xffff);
    }

    private String ofType(final TypeDefinition<?> type, final Kind kind, final int index) {
        if (type instanceof BooleanTypeDefinition) {
            return "true";
        }
        if (type instanceof EmptyTypeDefinition) {
            return "[null]";
        }
        if (type instanceof EnumTypeDefinition numbers) {
            return quoted(numbers.getValues().get(index % numbers.getValues().size()).getName());
        }
        if (type instanceof UnionTypeDefinition union) {
            return ofType(union.getTypes().get(0), kind, index);
        }
        if (type instanceof IdentityrefTypeDefinition reference) {
            return models.getDerivedIdentities(reference.getIdentities().iterator().next()).stream().findFirst()
                .map(identity -> quoted(models.findModule(identity.getQName().getModule()).orElseThrow().getName()
                    + ":" + identity.getQName().getLocalName())).orElse("null");
        }
        if (type instanceof RangeRestrictedTypeDefinition<?, ?> number) {
            final long least = end(number, true);
            final long most = end(number, false);
            // Powers of two are listed one by one.
            final List<Long> listed = number.getRangeConstraint().stream()
                .flatMap(range -> range.getAllowedRanges().asRanges().stream())
                .map(range -> ((Number) range.lowerEndpoint()).longValue()).toList();
            final long value = kind == Kind.EXTREME ? most : listed.size() > 1 ? listed.get(index % listed.size())
                : least + index % (most - least + 1);
            return type instanceof Uint64TypeDefinition || type instanceof Int64TypeDefinition
                ? quoted(Long.toString(value)) : Long.toString(value);
        }
        if (type instanceof StringTypeDefinition string) {
            final int most = string.getLengthConstraint()
                .map(length -> length.getAllowedRanges().span().upperEndpoint()).orElse(LONG);
            final String own = Integer.toString(index, Character.MAX_RADIX);
            final String text = kind == Kind.EXTREME
                ? "n".repeat(Math.max(1, Math.min(most, LONG) - own.length())) + own : "n" + own;
            final String labels = text.replaceAll("(n{59})n(?=.)", "$1.");
            final String digits = kind == Kind.EXTREME ? "%0510x".formatted(index) : "%08x".formatted(index);
            return quoted(Stream.of(text, labels, digits).filter(each -> isOf(string, each)).findFirst().orElse(text));
        }
        // A name of another entry has at most 48 letters.
        final String own = Integer.toString(index, Character.MAX_RADIX);
        return quoted(kind == Kind.EXTREME && type instanceof LeafrefTypeDefinition
            ? "n".repeat(LONGEST_NAME - own.length()) + own : "n" + own);
    }

    private boolean isOf(final StringTypeDefinition type, final String text) {
        return type.getLengthConstraint().stream().allMatch(each -> each.getAllowedRanges().contains(text.length()))
            && type.getPatternConstraints().stream().allMatch(each -> patterns.computeIfAbsent(
                each.getJavaPatternString(), Pattern::compile).matcher(text).matches())
            && (type.getBaseType() == null || isOf(type.getBaseType(), text));
    }

    private static long end(final RangeRestrictedTypeDefinition<?, ?> number, final boolean least) {
        final Optional<? extends Number> end = number.getRangeConstraint().map(range -> (Number) (least
            ? range.getAllowedRanges().span().lowerEndpoint() : range.getAllowedRanges().span().upperEndpoint()));
        final long value = end.map(Number::longValue).orElse(least ? 0L : 255L);
        return value == -1L ? Long.MAX_VALUE : value;
    }

    private static String quoted(final String text) {
        return "\"" + text + "\"";
    }
}
