// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.model.api.ChoiceSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ConstraintMetaDefinition;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.DocumentedNode;
import org.opendaylight.yangtools.yang.model.api.Module;
import org.opendaylight.yangtools.yang.model.api.MustConstraintAware;
import org.opendaylight.yangtools.yang.model.api.TypeDefinition;
import org.opendaylight.yangtools.yang.model.api.TypedDataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.type.EnumTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.PatternConstraint;
import org.opendaylight.yangtools.yang.model.api.type.RangeRestrictedTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.StringTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.UnionTypeDefinition;

/** Others build on the modules: these say of each leaf what it is, and of each rule how it reads. */
class ModelStyleTest {
    /** Numbers that count nothing. */
    private static final Set<String> NAMES = Set.of("queue", "core", "vlan", "priority", "weight", "public-port",
        "inside-port", "code");
    /** Texts of any form. */
    private static final Set<String> TEXTS = Set.of("devargs", "value");
    private static final Pattern SENTENCE = Pattern.compile("[A-Z0-9].*\\.", Pattern.DOTALL);
    private static final String SUBJECT = "The value ";

    private final List<String> faults = new ArrayList<>();

    @Test
    void theConfigurationIsDescribed() {
        check((DataNodeContainer) NetworkReaderTest.MODELS.findDataTreeChild(Network.QNAME).orElseThrow(), "");
        assertThat(faults).isEmpty();
    }

    @Test
    void contactsAreContacts() {
        assertThat(NetworkReaderTest.MODELS.getModules().stream()
            .filter(module -> module.getName().startsWith("penstock")).map(Module::getContact))
            .hasSizeGreaterThan(6).allSatisfy(contact ->
                assertThat(contact).hasValueSatisfying(text -> assertThat(text).contains("developers")));
    }

    private void check(final DataNodeContainer in, final String path) {
        for (final DataSchemaNode child : in.getChildNodes()) {
            final String name = child.getQName().getLocalName();
            final String place = path + name;
            checkSentence(place, child);
            if (child instanceof MustConstraintAware ruled) {
                ruled.getMustConstraints().forEach(must -> checkMessage(place + " must", "", must));
            }
            if (child instanceof ChoiceSchemaNode choice) {
                choice.getCases().forEach(each -> check(each, path));
            } else if (child instanceof DataNodeContainer container) {
                check(container, place + "/");
            } else if (child instanceof TypedDataSchemaNode leaf) {
                checkType(leaf.getType(), place, name);
                if (isCount(leaf.getType()) && !NAMES.contains(name) && leaf.getType().getUnits().isEmpty()) {
                    faults.add(place + ": has no units");
                }
            }
        }
    }

    private static boolean isCount(final TypeDefinition<?> type) {
        return type instanceof RangeRestrictedTypeDefinition
            || type instanceof UnionTypeDefinition union && union.getTypes().stream().anyMatch(ModelStyleTest::isCount);
    }

    private void checkSentence(final String place, final DocumentedNode described) {
        if (!SENTENCE.matcher(described.getDescription().orElse("")).matches()) {
            faults.add(place + ": is not described by a sentence: " + described.getDescription());
        }
    }

    /** Restrictions of RFC 6991 and of YANG itself have no messages. */
    private void checkType(final TypeDefinition<?> type, final String place, final String leaf) {
        if (type instanceof UnionTypeDefinition union) {
            union.getTypes().forEach(each -> checkType(each, place, leaf));
        } else if (type instanceof EnumTypeDefinition words) {
            words.getValues().forEach(word -> checkSentence(place + " " + word.getName(), word));
        } else if (type instanceof StringTypeDefinition text) {
            if (!TEXTS.contains(leaf) && text.getPatternConstraints().isEmpty()
                    && text.getLengthConstraint().isEmpty()) {
                faults.add(place + ": is any text");
            }
            if (isOurs(type)) {
                Stream.concat(own(text), text.getLengthConstraint().stream()
                        .filter(each -> each.getAllowedRanges().span().lowerEndpoint() > 0))
                    .forEach(each -> checkMessage(place, leaf, each));
            }
        } else if (type instanceof RangeRestrictedTypeDefinition<?, ?> number && number.getBaseType() != null) {
            number.getRangeConstraint().ifPresent(range -> checkMessage(place, leaf, range));
        }
    }

    /** A leaf with a default has a type of its own, with the patterns of the one that it names. */
    private static Stream<PatternConstraint> own(final StringTypeDefinition type) {
        return type.getPatternConstraints().stream().filter(each -> type.getBaseType() == null
            || !type.getBaseType().getPatternConstraints().contains(each));
    }

    private static boolean isOurs(final TypeDefinition<?> type) {
        return type.getQName().getNamespace().toString().startsWith("urn:penstock");
    }

    /** A message that begins with the leaf, or its value, reads on when the value is put there. */
    private void checkMessage(final String place, final String leaf, final ConstraintMetaDefinition rule) {
        final Optional<String> message = rule.getErrorMessage();
        if (message.isEmpty() || message.orElseThrow().endsWith(".")
                || !message.orElseThrow().startsWith(leaf) && !message.orElseThrow().startsWith(SUBJECT)) {
            faults.add(place + ": a rule has no message that names it: " + message);
        }
    }
}
