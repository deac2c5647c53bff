// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.regex.Pattern;
import org.opendaylight.yangtools.yang.data.codec.gson.JSONCodecFactory;
import org.opendaylight.yangtools.yang.data.codec.gson.JSONCodecFactorySupplier;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.TypeDefinition;
import org.opendaylight.yangtools.yang.model.api.TypedDataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.type.LeafrefTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.RangeRestrictedTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.StringTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.UnionTypeDefinition;
import org.opendaylight.yangtools.yang.model.util.SchemaInferenceStack;

/** Whether values are of the types of their leaves. Not for several threads. */
final class Values {
    /** RESTCONF's parser takes 0x10 for 16 and 010 for 8, which RFC 7950 (section 9.2.1) has for defaults alone. */
    private static final Pattern OTHER_BASE = Pattern.compile("[+-]?0[0-9a-fA-FxX]+");

    private final JSONCodecFactory codecs;
    private final SchemaInferenceStack stack;
    private final IdentityHashMap<TypeDefinition<?>, List<Pattern>> patterns = new IdentityHashMap<>();

    /**
     * Values by a model.
     *
     * @param stack that always is at the leaf whose value is judged
     */
    Values(final EffectiveModelContext context, final SchemaInferenceStack stack) {
        codecs = JSONCodecFactorySupplier.RFC7951.getShared(context);
        this.stack = stack;
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // whatever the codec throws, RESTCONF would answer 400
    boolean isOfItsType(final TypedDataSchemaNode leaf, final String text) {
        try {
            codecs.codecFor(leaf, stack).parseValue(null, text);
        } catch (RuntimeException e) {
            return false;
        }
        return !isOfOtherBase(leaf.getType(), text) && isOfAllItsPatterns(leaf.getType(), text);
    }

    /** The rule that a value breaks which is not of its type. */
    String broken(final TypedDataSchemaNode leaf, final String text) {
        final TypeDefinition<?> type = leaf.getType() instanceof LeafrefTypeDefinition reference
            ? stack.resolveLeafref(reference) : leaf.getType();
        return isOfOtherBase(type, text) ? "'" + TypeRules.shortened(text) + "' is not a decimal number"
            : TypeRules.broken(type, leaf.getQName().getLocalName(), text);
    }

    private static boolean isOfOtherBase(final TypeDefinition<?> type, final String text) {
        return type instanceof RangeRestrictedTypeDefinition && OTHER_BASE.matcher(text).matches()
            || type instanceof UnionTypeDefinition union
                && union.getTypes().stream().anyMatch(each -> isOfOtherBase(each, text));
    }

    /** The codec knows those of the last type alone, which for addresses without a zone are letters and digits. */
    private boolean isOfAllItsPatterns(final TypeDefinition<?> type, final String text) {
        if (type instanceof StringTypeDefinition string) {
            return patterns.computeIfAbsent(string, each -> TypeRules.patterns(string)).stream()
                .allMatch(pattern -> pattern.matcher(text).matches());
        }
        return !(type instanceof UnionTypeDefinition union)
            || union.getTypes().stream().anyMatch(each -> isOfAllItsPatterns(each, text));
    }
}
