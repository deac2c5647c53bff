// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/** The tenants that a client changes, one on each of some VLANs, as they have to be after what was acknowledged. */
final class CrashTenants {
    /** A list that lets all datagrams but those to the second port of the server pass. */
    static final String CLOSED = "closed";
    static final String CLOSED_PORT = "9008";

    private static final int FIRST_VLAN = 121;
    private static final int ADDRESSES = 4;

    /** A tenant: the least that tells one change from another. */
    record Tenant(String name, int vlan, String address, String list) {
        Tenant at(final String other) {
            return new Tenant(name, vlan, other, list);
        }

        Tenant with(final String other) {
            return new Tenant(name, vlan, address, other);
        }
    }

    /** A request, and what is stored if it is carried out. */
    record Change(String what, String method, String path, String document, SortedMap<Integer, Tenant> after) { }

    private final EdgeNode node;
    private final int slots;
    private SortedMap<Integer, Tenant> stored = new TreeMap<>();
    private Change unknown;

    CrashTenants(final EdgeNode node, final int slots) {
        this.node = node;
        this.slots = slots;
    }

    List<Integer> vlans() {
        return IntStream.range(FIRST_VLAN, FIRST_VLAN + slots).boxed().toList();
    }

    /** All that a tenant on a VLAN may ever have as its public address. */
    static List<String> addresses(final int vlan) {
        return IntStream.range(0, ADDRESSES).mapToObj(index -> "100.64.77." + ((vlan - FIRST_VLAN) * ADDRESSES + index))
            .toList();
    }

    /** What has to be stored; known again after {@link #settle}. */
    SortedMap<Integer, Tenant> stored() {
        return stored;
    }

    /** The next change. */
    Change next(final Random random) {
        final int vlan = FIRST_VLAN + random.nextInt(slots);
        final int kind = random.nextInt(5);
        final Tenant now = stored.get(vlan);
        if (now == null) {
            return put("create", new Tenant((random.nextBoolean() ? "red-" : "blue-") + vlan, vlan,
                other(vlan, "", random), random.nextBoolean() ? CLOSED : Intent.LIST));
        }
        return switch (kind) {
            case 0 -> put("change list", now.with(now.list().equals(CLOSED) ? Intent.LIST : CLOSED));
            case 1 -> put("change address", now.at(other(vlan, now.address(), random)));
            case 2 -> several(random);
            default -> {
                final SortedMap<Integer, Tenant> after = new TreeMap<>(stored);
                after.remove(vlan);
                yield new Change("delete " + now.name(), "DELETE", Intent.path(now.name()), "", after);
            }
        };
    }

    private Change put(final String what, final Tenant tenant) {
        final SortedMap<Integer, Tenant> after = new TreeMap<>(stored);
        after.put(tenant.vlan(), tenant);
        return new Change(what + ' ' + tenant.name(), "PUT", Intent.path(tenant.name()),
            Intent.tenants(List.of(document(tenant))), after);
    }

    /** All that are there get other addresses, by one request. */
    private Change several(final Random random) {
        final SortedMap<Integer, Tenant> after = new TreeMap<>(stored);
        after.replaceAll((vlan, tenant) -> tenant.at(other(vlan, tenant.address(), random)));
        return new Change("change addresses of all", "PATCH", Intent.NETWORK,
            Intent.patch("tenant", after.values().stream().map(this::document).toList()), after);
    }

    private static String other(final int vlan, final String than, final Random random) {
        final List<String> left = addresses(vlan).stream().filter(address -> !address.equals(than)).toList();
        return left.get(random.nextInt(left.size()));
    }

    /** A tenant as the controller is told of it. */
    String document(final Tenant tenant) {
        return document(tenant, "");
    }

    /** The same with further leaves, such as {@code , 'chain': 'c'}. */
    String document(final Tenant tenant, final String more) {
        return Intent.translated(Intent.tenant(tenant.name(), node, tenant.vlan(), Intent.FIRST_POOL,
            "'egress-acl': '" + tenant.list() + "'" + more), "{'public-address': '" + tenant.address() + "'}");
    }

    /** A change was acknowledged. */
    void acknowledged(final Change change) {
        stored = change.after();
    }

    /** A change was not answered: it may be carried out, or not. */
    void unanswered(final Change change) {
        unknown = change;
    }

    /** Whether a change may be stored or not; then only {@link #settle} helps. */
    boolean isUnknown() {
        return unknown != null;
    }

    /** Compares with what is stored: all that was acknowledged, and what was not answered whole or not at all. */
    void settle(final JsonObject network) {
        final SortedMap<Integer, Tenant> found = read(network);
        if (unknown != null && found.equals(unknown.after())) {
            stored = unknown.after();
        }
        if (!found.equals(stored)) {
            throw new AssertionError("stored is " + found + ", acknowledged was " + stored
                + (unknown == null ? "" : ", without an answer to " + unknown));
        }
        unknown = null;
    }

    private SortedMap<Integer, Tenant> read(final JsonObject network) {
        if (!network.has("tenant")) {
            return new TreeMap<>();
        }
        return StreamSupport.stream(network.getAsJsonArray("tenant").spliterator(), false)
            .map(JsonElement::getAsJsonObject).map(CrashTenants::tenant)
            .filter(tenant -> vlans().contains(tenant.vlan()))
            .collect(Collectors.toMap(Tenant::vlan, tenant -> tenant, (one, other) -> {
                throw new AssertionError(one + " and " + other + " have the same VLAN");
            }, TreeMap::new));
    }

    private static Tenant tenant(final JsonObject entry) {
        final JsonObject nat = entry.getAsJsonObject("nat");
        return new Tenant(entry.get("name").getAsString(), entry.getAsJsonArray("attachment").get(0).getAsJsonObject()
            .get("vlan").getAsInt(), nat != null && nat.has("public-address") ? nat.get("public-address").getAsString()
            : "none", entry.has("egress-acl") ? entry.get("egress-acl").getAsString() : "none");
    }
}
