// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.mdsal.dom.api.DOMDataTreeIdentifier;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.access.control.list.rev190304.Acls;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier;

/** The two trees that a snapshot is made of, and the one that has both. */
final class ConfigurationPaths {
    static final DOMDataTreeIdentifier NETWORK = new DOMDataTreeIdentifier(LogicalDatastoreType.CONFIGURATION,
        YangInstanceIdentifier.of(Network.QNAME));
    static final DOMDataTreeIdentifier ACLS = new DOMDataTreeIdentifier(LogicalDatastoreType.CONFIGURATION,
        YangInstanceIdentifier.of(Acls.QNAME));

    /** Of the controller alone. */
    static final DOMDataTreeIdentifier ALLOCATIONS = new DOMDataTreeIdentifier(LogicalDatastoreType.CONFIGURATION,
        YangInstanceIdentifier.of(Allocations.QNAME));

    static final DOMDataTreeIdentifier ROOT = new DOMDataTreeIdentifier(LogicalDatastoreType.CONFIGURATION,
        YangInstanceIdentifier.empty());

    private ConfigurationPaths() {
        // Only values.
    }
}
