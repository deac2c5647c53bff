// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reads what the RPCs {@code status} and {@code verify} of a controller say. */
public abstract class StatusReader {
    /** The answer to an RPC; the input is JSON with apostrophes for quotation marks. */
    protected abstract JsonObject call(String rpc, String input);

    /** Nodes as {@code verify} sees them. */
    public List<JsonObject> verify() {
        return list(call("verify", "{}"), "node").toList();
    }

    /** One node as {@code verify} sees it. */
    public final JsonObject verify(final String node) {
        return list(call("verify", "{'node': '" + node + "'}"), "node").findFirst().orElseThrow();
    }

    /** Whether {@code verify} found nothing on a node. */
    public static boolean isClean(final JsonObject node) {
        return node.get("connected").getAsBoolean() && node.get("planned").getAsInt() > 0
            && node.get("planned").getAsInt() == node.get("installed").getAsInt()
            && node.get("missing").getAsInt() == 0 && node.get("excess").getAsInt() == 0
            && node.get("wrong").getAsInt() == 0;
    }

    /** Entries of a list of {@code status}. */
    public final Stream<JsonObject> status(final String list) {
        return list(call("status", "{}"), list);
    }

    /** What {@code status} says of a node. */
    public final JsonObject node(final String name) {
        return named(status("node"), name).orElseThrow();
    }

    /** What {@code status} says of a tenant. */
    public final Optional<JsonObject> tenant(final String name) {
        return named(status("tenant"), name);
    }

    /** VRF id of a tenant. */
    public final int vrf(final String tenant) {
        return tenant(tenant).orElseThrow().get("vrf").getAsInt();
    }

    /** Public address of a tenant. */
    public final String publicAddress(final String tenant) {
        return tenant(tenant).orElseThrow().get("public").getAsString();
    }

    /** What {@code status} says of a function. */
    public final JsonObject function(final String name) {
        return named(status("function"), name).orElseThrow();
    }

    /** An instance of a function, as the controller sees it. */
    public final JsonObject instance(final String function, final String name) {
        return named(list(function(function), "instance"), name).orElseThrow();
    }

    /** Entries of a list of an answer, which may be left out when it is empty. */
    public static Stream<JsonObject> list(final JsonObject owner, final String name) {
        return owner.has(name)
            ? StreamSupport.stream(owner.getAsJsonArray(name).spliterator(), false).map(JsonElement::getAsJsonObject)
            : Stream.empty();
    }

    /** The first of some entries that has a name. */
    public static Optional<JsonObject> named(final Stream<JsonObject> entries, final String name) {
        return entries.filter(entry -> name(entry).equals(name)).findFirst();
    }

    /** The name of an entry. */
    public static String name(final JsonObject entry) {
        return entry.get("name").getAsString();
    }
}
