// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.Routed;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.testkit.NodeProtocol;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the planner and the programs of a node have to name alike, which uses nothing but Java. */
class NodeNetworkTest {
    private final Map<String, String> defined = NodeProtocol.DEFINED.words("network");

    @Test
    void addressesAndPortsAreThoseOfTheProtocol() {
        final Instance instance = new Instance("", State.IN_SERVICE, 1);
        final Routed router = Routed.DEFAULT;
        assertThat(defined).isEqualTo(Map.ofEntries(
            entry("service-ipv4", "240.0.0.0/8"),
            entry("service-ipv6", Constants.RESOLVERS6 + "/" + Constants.RESOLVERS6_LENGTH),
            entry("switch-mac", Constants.GATEWAY_MAC.toString()),
            entry("resolver-mac", Constants.RESOLVER_MAC.toString()),
            entry("side-inside", instance.insidePort().substring(1)),
            entry("side-outside", instance.outsidePort().substring(1)),
            entry("side-second", instance.secondPort().substring(1)),
            entry("router-inside-mac", router.inside().mac().toString()),
            entry("router-inside-address", router.inside().address().toString()),
            entry("router-inside-gateway", router.inside().gateway().toString()),
            entry("router-outside-mac", router.outside().mac().toString()),
            entry("router-outside-address", router.outside().address().toString()),
            entry("router-outside-gateway", router.outside().gateway().toString())));
    }

    @Test
    void serviceAddressesOfEveryTenantAreInTheirNetworks() {
        final Prefix ipv4 = Prefix.parse(defined.get("service-ipv4"));
        final Prefix6 ipv6 = Prefix6.parse(defined.get("service-ipv6"));
        for (final int vrf : new int[] {VrfId.FIRST, VrfId.LAST}) {
            assertThat(ipv4.contains(new VrfId(vrf).resolverAddress(Constants.MOST_SUBNETS - 1))).isTrue();
            assertThat(ipv6.contains(new VrfId(vrf).resolverAddress6(Constants.MOST_SUBNETS - 1))).isTrue();
        }
    }

    @Test
    void plannerAndDatabaseHaveOneBridge() {
        assertThat(Constants.BRIDGE).isEqualTo(NodeKeys.BRIDGE);
    }
}
