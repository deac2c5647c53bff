// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.memo.Memo;
import io.penstock.pipeline.plan.TenantOrders;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.southbound.ovsdb.ZoneSpec;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Orders in the words of those who carry them out on a node. What was written of a tenant for the plan before is not
 * written again. Equal orders are equal texts. Not for several threads.
 */
final class AgentOrders {
    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

    private final Memo<TenantOrders, Map<String, String>> texts = new Memo<>();

    /** Begins another plan. */
    void begin() {
        texts.begin();
    }

    /** The orders for one zone of the plan, for {@link ZoneSpec#orders}. */
    Map<String, String> of(final TenantOrders orders) {
        return texts.of(orders, AgentOrders::write);
    }

    private static Map<String, String> write(final TenantOrders orders) {
        final Map<String, String> result = new HashMap<>();
        orders.tenant().ifPresent(name -> result.put(NodeKeys.TENANT, name));
        orders.sessions().ifPresent(limit -> result.put(NodeKeys.SESSIONS, Integer.toString(limit)));
        orders.dns().ifPresent(dns -> result.put(NodeKeys.DNS, GSON.toJson(resolver(dns))));
        return Map.copyOf(result);
    }

    /** An order of numbers and texts. */
    static String json(final Map<String, Object> content) {
        return GSON.toJson(content);
    }

    /** The order to start an instance, for {@link NodeKeys#FUNCTION}. */
    static String function(final NetworkFunction.Start start) {
        final JsonObject json = new JsonObject();
        json.addProperty("function", start.function());
        start.core().ifPresent(core -> json.addProperty("core", core));
        start.scheduling().ifPresent(how -> json.addProperty("scheduling", how.name().toLowerCase(Locale.ROOT)));
        return GSON.toJson(json);
    }

    /** Lists without members are left out. */
    private static JsonObject resolver(final TenantOrders.Resolver resolver) {
        final JsonObject json = new JsonObject();
        final Dns dns = resolver.config();
        dns.domain().ifPresent(domain -> json.addProperty("domain", domain));
        add(json, "addresses", resolver.addresses(), JsonPrimitive::new);
        add(json, "upstreams", dns.upstreams(), AgentOrders::upstream);
        add(json, "records", dns.records(), AgentOrders::record);
        add(json, "leases", resolver.hosts(), AgentOrders::host);
        add(json, "reverse", resolver.reverse(), JsonPrimitive::new);
        dns.dns64().ifPresent(prefix -> json.addProperty("dns64", prefix));
        return json;
    }

    private static <T> void add(final JsonObject json, final String name, final Collection<T> members,
            final Function<T, JsonElement> writer) {
        if (!members.isEmpty()) {
            final JsonArray array = new JsonArray(members.size());
            members.forEach(member -> array.add(writer.apply(member)));
            json.add(name, array);
        }
    }

    private static JsonElement upstream(final Dns.Upstream upstream) {
        if (!upstream.inside()) {
            return new JsonPrimitive(upstream.address());
        }
        final JsonObject json = new JsonObject();
        json.addProperty("address", upstream.address());
        json.addProperty("inside", true);
        return json;
    }

    private static JsonElement record(final Dns.Record record) {
        final JsonObject json = new JsonObject();
        json.addProperty("name", record.name());
        json.addProperty("type", record.type());
        json.addProperty("ttl", record.ttl());
        json.addProperty("data", record.data());
        return json;
    }

    private static JsonElement host(final TenantOrders.Host host) {
        final JsonObject json = new JsonObject();
        json.addProperty("name", host.name());
        json.addProperty("address", host.address());
        return json;
    }
}
