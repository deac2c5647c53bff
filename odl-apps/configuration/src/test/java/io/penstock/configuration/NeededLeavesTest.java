// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.access.control.list.rev190304.Acls;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.model.api.ChoiceSchemaNode;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.ElementCountConstraintAware;
import org.opendaylight.yangtools.yang.model.api.ListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.MandatoryAware;

/** The check at commit enforces all that the datastore would enforce without words. */
class NeededLeavesTest {
    /** As a controller has them, with deviations. */
    private static final EffectiveModelContext ALL =
        BindingRuntimeHelpers.createRuntimeContext().getEffectiveModelContext();

    @Test
    void theCheckKnowsWhatTheModelDemands() {
        final Set<String> checked = new TreeSet<>();
        NeededLeaves.of(ALL).ofEntries().forEach((entry, leaves) -> leaves.forEach(leaf ->
            checked.add(entry + "/" + leaf)));
        assertThat(checked).hasSizeGreaterThan(30)
            .isEqualTo(enforced(NetworkReaderTest.MODELS, Network.QNAME));
    }

    @Test
    void theDatastoreIsLeftNothingToEnforce() {
        assertThat(enforced(NetworkReaderTest.MODELS, Acls.QNAME)).contains("acl/aces/ace/actions/forwarding");
        assertThat(enforced(ALL, Acls.QNAME)).isEmpty();
        assertThat(enforced(ALL, Network.QNAME)).isEmpty();
    }

    /** Paths of what a datastore enforces; of lists whose entries differ in leaves with a slash at the end. */
    private static Set<String> enforced(final EffectiveModelContext models, final QName tree) {
        final Set<String> paths = new TreeSet<>();
        find((DataNodeContainer) models.findDataTreeChild(tree).orElseThrow(), "", models == ALL, paths);
        return paths;
    }

    private static void find(final DataNodeContainer in, final String path, final boolean unique,
            final Set<String> paths) {
        for (final DataSchemaNode child : in.getChildNodes()) {
            final String name = path + child.getQName().getLocalName();
            final boolean isKey = in instanceof ListSchemaNode list
                && list.getKeyDefinition().contains(child.getQName());
            if (child instanceof MandatoryAware aware && aware.isMandatory() && !isKey) {
                paths.add(name);
            }
            if (child instanceof ElementCountConstraintAware list && list.getElementCountConstraint()
                    .filter(count -> count.getMinElements() != null && count.getMinElements() > 0).isPresent()) {
                paths.add(name);
            }
            if (unique && child instanceof ListSchemaNode list && !list.getUniqueConstraints().isEmpty()) {
                paths.add(name + "/");
            }
            if (child instanceof ChoiceSchemaNode choice) {
                choice.getCases().forEach(each -> find(each, path, unique, paths));
            } else if (child instanceof DataNodeContainer container) {
                find(container, name + "/", unique, paths);
            }
        }
    }
}
