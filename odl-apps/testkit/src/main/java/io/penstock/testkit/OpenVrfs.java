// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import io.penstock.pipeline.flow.FlowText;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.SessionOrder;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Gives the connections of VRFs sessions, as the agent of a node does, but whatever they send, and for good. */
public final class OpenVrfs {
    private static final Pattern ZONE = Pattern.compile("Zone:([0-9]+)");

    private OpenVrfs() {
        // Only functions.
    }

    /** Opens these VRFs. */
    public static void open(final OvsSandbox ovs, final Collection<VrfId> vrfs) {
        vrfs.forEach(vrf -> ovs.ofctl("add-flow", Constants.BRIDGE, FlowText.NUMBERS.render(SessionOrder.open(vrf))));
    }

    /** Opens all VRFs of which the database has a conntrack zone. */
    public static void openAll(final OvsSandbox ovs) {
        final Matcher zones = ZONE.matcher(ovs.vsctl("list-zone-tp", "netdev"));
        open(ovs, zones.results().flatMap(zone -> VrfId.of(Integer.parseInt(zone.group(1))).stream()).toList());
    }
}
