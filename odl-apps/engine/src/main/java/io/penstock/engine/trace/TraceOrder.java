// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.trace;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.penstock.pipeline.flow.Mac;
import io.penstock.pipeline.intent.FiveTuple;
import io.penstock.pipeline.registry.Constants;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;

/**
 * What the agent of a node is to follow through the switch, in its words: ovs-config/penstock_node/agent_traces.py.
 *
 * @param packet as it enters at {@code first}
 * @param vlan with which it comes back from functions
 * @param out whether it goes to the backbone
 * @param functions ports by which it comes back from functions, by those by which it comes to them
 * @param zone of the connections of the tenant's chains; absent when none is kept
 * @param known of the connection, when the agent is not to look for it
 */
record TraceOrder(FiveTuple packet, Start first, int vlan, boolean out, Map<String, String> functions,
        Optional<Integer> zone, Optional<Known> known) {
    private static final Gson GSON = new Gson();

    /** Where a packet begins. VLAN 0 is untagged. */
    record Start(String port, int vlan, long sourceMac, long destinationMac) {
        /** Where a packet comes back from a function. */
        static Start behind(final String port, final int vlan, final boolean out) {
            return out ? new Start(port, vlan, Constants.CHAIN_INSIDE_MAC, Constants.CHAIN_OUTSIDE_MAC)
                : new Start(port, vlan, Constants.CHAIN_OUTSIDE_MAC, Constants.CHAIN_INSIDE_MAC);
        }

        private JsonObject json() {
            final JsonObject json = new JsonObject();
            json.addProperty("vlan", vlan);
            json.addProperty("source-mac", Mac.text(sourceMac));
            json.addProperty("destination-mac", Mac.text(destinationMac));
            return json;
        }
    }

    /** What connection tracking says of a packet: {@code new}, {@code est} or {@code rpl}, and the label. */
    record Known(String state, BigInteger label) { }

    String text() {
        final JsonObject json = new JsonObject();
        final JsonObject fields = new JsonObject();
        fields.addProperty("source", packet.text(packet.source()));
        fields.addProperty("destination", packet.text(packet.destination()));
        fields.addProperty("protocol", packet.protocol());
        fields.addProperty("source-port", packet.sourcePort());
        fields.addProperty("destination-port", packet.destinationPort());
        json.add("packet", fields);
        final JsonObject start = first.json();
        start.addProperty("port", first.port());
        json.add("first", start);
        json.add("next", Start.behind("", vlan, out).json());
        final JsonObject ports = new JsonObject();
        functions.forEach(ports::addProperty);
        json.add("functions", ports);
        zone.ifPresent(number -> json.addProperty("zone", number));
        known.ifPresent(each -> {
            json.addProperty("state", each.state());
            json.addProperty("label", "0x" + each.label().toString(16));
        });
        return GSON.toJson(json);
    }
}
