// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.trace;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.stage.ChainTrace.Frame;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;

/**
 * What the agent of a node is to follow through the switch, in its words: ovs-config/penstock_node/agent_traces.py.
 *
 * @param packet as it enters as {@code first}
 * @param functions how it comes back from functions, by the ports by which it comes to them; it is not followed through
 *     others, such as those that give it back in a service header, which no such frame has
 * @param zone of the connections of the tenant's chains; absent when none is kept
 * @param known of the connection, when the agent is not to look for it
 */
record TraceOrder(FiveTuple packet, Frame first, Map<String, Frame> functions, Optional<Integer> zone,
        Optional<Known> known) {
    private static final Gson GSON = new Gson();

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
        json.add("first", json(first));
        final JsonObject ports = new JsonObject();
        functions.forEach((port, frame) -> ports.add(port, json(frame)));
        json.add("functions", ports);
        zone.ifPresent(number -> json.addProperty("zone", number));
        known.ifPresent(each -> {
            json.addProperty("state", each.state());
            json.addProperty("label", "0x" + each.label().toString(16));
        });
        return GSON.toJson(json);
    }

    private static JsonObject json(final Frame frame) {
        final JsonObject json = new JsonObject();
        json.addProperty("port", frame.port());
        json.addProperty("vlan", frame.vlan());
        json.addProperty("source-mac", frame.sourceMac().toString());
        json.addProperty("destination-mac", frame.destinationMac().toString());
        return json;
    }
}
