// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import com.google.common.io.ByteSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.opendaylight.mdsal.binding.spec.reflect.BindingReflections;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.access.control.list.rev190304.Acls;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.binding.YangModuleInfo;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.model.api.ChoiceSchemaNode;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.TypeDefinition;
import org.opendaylight.yangtools.yang.model.api.TypedDataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.type.BooleanTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.RangeRestrictedTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.UnionTypeDefinition;
import org.opendaylight.yangtools.yang.model.repo.api.SourceIdentifier;
import org.opendaylight.yangtools.yang.model.repo.api.YangTextSchemaSource;
import org.opendaylight.yangtools.yang.parser.api.YangParser;
import org.opendaylight.yangtools.yang.parser.api.YangParserException;
import org.opendaylight.yangtools.yang.parser.impl.DefaultYangParserFactory;

/** The models of the configuration with one more, which has deviations from them. */
final class ChangedModels {
    /** Without restrictions of values: what a datastore may have, which judges none and outlives versions. */
    static final EffectiveModelContext LOOSE = loose();

    private ChangedModels() {
        // Only functions.
    }

    /** The models with the text of one more. */
    static EffectiveModelContext with(final String module) {
        final Map<QName, YangModuleInfo> known = new HashMap<>();
        add(BindingReflections.getModuleInfo(Network.class), known);
        add(BindingReflections.getModuleInfo(Acls.class), known);
        try {
            final YangParser parser = new DefaultYangParserFactory().createParser();
            for (final YangModuleInfo each : known.values()) {
                parser.addSource(YangTextSchemaSource.delegateForByteSource(new SourceIdentifier(
                    each.getName().getLocalName(), each.getName().getRevision().orElse(null)),
                    each.getYangTextByteSource()));
            }
            parser.addSource(YangTextSchemaSource.delegateForByteSource(new SourceIdentifier("changes"),
                ByteSource.wrap(module.getBytes(StandardCharsets.UTF_8))));
            return parser.buildEffectiveModel();
        } catch (IOException | YangParserException e) {
            throw new AssertionError(module, e);
        }
    }

    private static EffectiveModelContext loose() {
        final StringBuilder deviations = new StringBuilder();
        loosen((DataNodeContainer) NetworkReaderTest.MODELS.findDataTreeChild(Network.QNAME).orElseThrow(),
            "/ps:network", deviations);
        return with("""
            module loose { yang-version 1.1; namespace "urn:loose"; prefix l; import penstock { prefix ps; } %s }"""
            .formatted(deviations));
    }

    private static void loosen(final DataNodeContainer in, final String path, final StringBuilder deviations) {
        for (final DataSchemaNode child : in.getChildNodes()) {
            final String below = path + "/ps:" + child.getQName().getLocalName();
            if (child instanceof ChoiceSchemaNode choice) {
                choice.getCases().forEach(each ->
                    loosen(each, below + "/ps:" + each.getQName().getLocalName(), deviations));
            } else if (child instanceof DataNodeContainer container) {
                loosen(container, below, deviations);
            } else {
                deviations.append("deviation ").append(below).append(" { deviate replace { type ")
                    .append(base(((TypedDataSchemaNode) child).getType())).append(" } }\n");
            }
        }
    }

    private static String base(final TypeDefinition<?> type) {
        if (type instanceof RangeRestrictedTypeDefinition || type instanceof BooleanTypeDefinition) {
            TypeDefinition<?> base = type;
            while (base.getBaseType() != null) {
                base = base.getBaseType();
            }
            return base.getQName().getLocalName() + ";";
        }
        return type instanceof UnionTypeDefinition union
            && union.getTypes().stream().anyMatch(RangeRestrictedTypeDefinition.class::isInstance)
            ? "union { type uint32; type string; }" : "string;";
    }

    private static void add(final YangModuleInfo module, final Map<QName, YangModuleInfo> known) {
        if (known.put(module.getName(), module) == null) {
            module.getImportedModules().forEach(each -> add(each, known));
        }
    }
}
