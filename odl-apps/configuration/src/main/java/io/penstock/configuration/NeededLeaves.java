// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.model.api.DeviateDefinition;
import org.opendaylight.yangtools.yang.model.api.Deviation;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.Module;

/**
 * The leaves and leaf-lists that entries of the network need. The model makes them mandatory, and the module
 * penstock-deviations takes that from the datastore, whose errors name nothing: so its list is that of the check.
 *
 * @param ofEntries names of leaves by the names of lists and containers below the network, joined by slashes, such as
 *     {@code tenant/subnet}
 */
record NeededLeaves(Map<String, List<String>> ofEntries) {
    NeededLeaves {
        ofEntries = Map.copyOf(ofEntries);
    }

    /** Reads the deviations of the models of a controller. */
    static NeededLeaves of(final EffectiveModelContext context) {
        final Map<String, List<String>> needed = new HashMap<>();
        for (final Module module : context.getModules()) {
            for (final Deviation deviation : module.getDeviations()) {
                final List<String> names = deviation.getTargetPath().getNodeIdentifiers().stream()
                    .map(QName::getLocalName).toList();
                if (deviation.getTargetPath().firstNodeIdentifier().equals(Network.QNAME)
                        && deviation.getDeviates().stream().anyMatch(NeededLeaves::isOfNeeded)) {
                    needed.computeIfAbsent(String.join("/", names.subList(1, names.size() - 1)),
                        entry -> new ArrayList<>()).add(names.get(names.size() - 1));
                }
            }
        }
        return new NeededLeaves(needed);
    }

    private static boolean isOfNeeded(final DeviateDefinition deviate) {
        return Boolean.FALSE.equals(deviate.getDeviatedMandatory())
            || Integer.valueOf(0).equals(deviate.getDeviatedMinElements());
    }

    /** The leaves that an entry needs. */
    List<String> in(final String entry) {
        return ofEntries.getOrDefault(entry, List.of());
    }
}
