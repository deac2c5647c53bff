// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import com.google.common.collect.RangeSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.opendaylight.yangtools.yang.model.api.ConstraintMetaDefinition;
import org.opendaylight.yangtools.yang.model.api.TypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.BooleanTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.EnumTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.ModifierKind;
import org.opendaylight.yangtools.yang.model.api.type.RangeConstraint;
import org.opendaylight.yangtools.yang.model.api.type.RangeRestrictedTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.StringTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.UnionTypeDefinition;

/** The rule of a type that a value breaks, in words: those of the model where it has any. */
final class TypeRules {
    /** RFC 6991 has no error messages. */
    private static final Map<String, String> WELL_KNOWN = Map.of("ipv4-prefix", "is not an IPv4 prefix",
        "ipv6-prefix", "is not an IPv6 prefix", "ipv4-address", "is not an IPv4 address", "ipv4-address-no-zone",
        "is not an IPv4 address", "ipv6-address", "is not an IPv6 address", "ipv6-address-no-zone",
        "is not an IPv6 address", "ip-address-no-zone", "is not an IP address", "mac-address",
        "is not a MAC address");
    /** Characters of a value that an answer repeats. */
    private static final int SHOWN = 100;
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}");
    /** How an error message of the model begins that is about the value. */
    private static final String SUBJECT = "The value ";

    private TypeRules() {
        // Only functions.
    }

    /**
     * What is wrong with a value that is not of a type.
     *
     * @param leaf its name, with which an error message may begin
     */
    static String broken(final TypeDefinition<?> type, final String leaf, final String value) {
        final String shown = NUMBER.matcher(value).matches() ? value : "'" + shortened(value) + "'";
        final String rule = rule(type, value).orElse("is not of the type " + type.getQName().getLocalName());
        for (final String subject : new String[] {SUBJECT, leaf + " "}) {
            if (rule.startsWith(subject)) {
                return shown + " " + rule.substring(subject.length());
            }
        }
        return rule.startsWith("is ") ? shown + " " + rule : shown + ": " + rule;
    }

    /** As much of a value as an answer repeats. */
    static String shortened(final String value) {
        return value.length() <= SHOWN ? value : value.substring(0, SHOWN) + "...";
    }

    private static Optional<String> rule(final TypeDefinition<?> type, final String value) {
        if (type instanceof RangeRestrictedTypeDefinition<?, ?> number) {
            return Optional.of(number(number, value));
        }
        if (type instanceof StringTypeDefinition string) {
            return string(string, value);
        }
        if (type instanceof EnumTypeDefinition words) {
            return Optional.of("is none of " + words.getValues().stream().map(EnumTypeDefinition.EnumPair::getName)
                .collect(Collectors.joining(", ")));
        }
        if (type instanceof BooleanTypeDefinition) {
            return Optional.of("is neither true nor false");
        }
        // A number or a word: the rule of the number names the word.
        return type instanceof UnionTypeDefinition union ? wellKnown(type).or(() -> union.getTypes().stream()
            .filter(RangeRestrictedTypeDefinition.class::isInstance).findFirst().flatMap(each -> rule(each, value)))
            : Optional.empty();
    }

    private static String number(final RangeRestrictedTypeDefinition<?, ?> type, final String value) {
        final Optional<? extends RangeConstraint<?>> range = type.getRangeConstraint();
        final Optional<String> message = range.flatMap(ConstraintMetaDefinition::getErrorMessage);
        return message.orElseGet(() -> NUMBER.matcher(value).matches()
            ? "is not in " + text(range.orElseThrow().getAllowedRanges()) : "is not a number");
    }

    private static String text(final RangeSet<?> ranges) {
        return ranges.asRanges().stream().map(each -> each.lowerEndpoint() + ".." + each.upperEndpoint())
            .collect(Collectors.joining(" | "));
    }

    /** What a text of a type has to match: the patterns of the type, and of those that it derives from. */
    static List<Pattern> patterns(final StringTypeDefinition type) {
        final Stream<Pattern> own = type.getPatternConstraints().stream().filter(each -> each.getModifier().isEmpty())
            .map(each -> Pattern.compile(each.getJavaPatternString()));
        return Stream.concat(type.getBaseType() == null ? Stream.empty() : patterns(type.getBaseType()).stream(), own)
            .toList();
    }

    /** The first restriction that is broken, of the type that all derive from first. */
    static Optional<String> string(final StringTypeDefinition type, final String value) {
        final Optional<String> base = type.getBaseType() == null ? Optional.empty()
            : string(type.getBaseType(), value);
        return base.or(() -> type.getLengthConstraint()
                .filter(each -> !each.getAllowedRanges().contains(value.codePointCount(0, value.length())))
                .map(each -> message(each, "does not have " + text(each.getAllowedRanges()) + " characters")))
            .or(() -> type.getPatternConstraints().stream()
                .filter(each -> Pattern.matches(each.getJavaPatternString(), value)
                    == each.getModifier().equals(Optional.of(ModifierKind.INVERT_MATCH)))
                .findFirst().map(each -> message(each,
                    wellKnown(type).orElse("does not match " + each.getRegularExpressionString()))));
    }

    private static String message(final ConstraintMetaDefinition constraint, final String otherwise) {
        return constraint.getErrorMessage().orElse(otherwise);
    }

    private static Optional<String> wellKnown(final TypeDefinition<?> type) {
        return type == null ? Optional.empty() : Optional.ofNullable(WELL_KNOWN.get(type.getQName().getLocalName()))
            .or(() -> wellKnown(type.getBaseType()));
    }
}
