// SPDX-License-Identifier: Apache-2.0
package io.penstock.access;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.access.Resource.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides whether a user may send a request. What no line of the table grants is refused, but for the provider; a few
 * things are refused to all. docs/access.md explains the table. Safe for all threads.
 */
public final class Access {
    /** The tree of accounts, which RPCs read and change: its hashes leave the controller by no request. */
    static final String ACCOUNTS = "penstock-access";

    private static final String DATA = "rests/data/";
    private static final String NETWORK = DATA + "penstock:network";
    private static final String LISTS = DATA + "ietf-access-control-list:acls";
    private static final String CALLS = "rests/operations/penstock-operations:";
    /** Changes by all accounts, from the audit log. */
    private static final String HISTORY = ACCOUNTS + ":history";
    /** RPCs about accounts that only read. */
    private static final Set<String> ONLY_READ = Set.of(ACCOUNTS + ":list-users", HISTORY);
    /** Bytes of a change by a user who is not the provider: it is judged as a whole, and larger ones can be divided. */
    private static final int MOST_BODY = 4 << 20;

    private static final List<Pattern> ALL_READ = patterns(NETWORK + "/**", LISTS + "/**",
        DATA + "penstock-state:state/**", DATA + "ietf-yang-library:yang-library/**",
        DATA + "ietf-yang-library:modules-state/**", DATA + "ietf-restconf-monitoring:restconf-state/**",
        "rests/operations", "rests/yang-library-version", "rests/modules/**", "penstock/events", "penstock/metrics",
        "diagstatus", ".well-known/**");
    private static final Map<Role, List<Pattern>> READ = Map.of(
        Role.OPERATOR, ALL_READ,
        Role.READER, ALL_READ,
        Role.TENANT, patterns(NETWORK + "/tenant={tenant}/**", LISTS + "/acl={list}/**",
            DATA + "penstock-state:state/tenant={tenant}/**", ".well-known/**"));
    private static final Map<Role, List<Pattern>> CHANGE = Map.of(
        Role.OPERATOR, patterns(NETWORK + "/!node/**", LISTS + "/**"),
        Role.READER, List.of(),
        Role.TENANT, patterns(LISTS + "/acl={list}/**", NETWORK + "/tenant={tenant}/dns/record/**",
            NETWORK + "/tenant={tenant}/nat/port-forward/**"));
    private static final Map<Role, List<Pattern>> CALL = Map.of(
        Role.OPERATOR, Stream.concat(Stream.of("rests/operations/" + HISTORY), Stream.of("capture", "chain-trace",
            "dhcp-messages", "flows", "learned-hosts", "lease-release", "leases", "limits", "nat-preview", "nat-usage",
            "port-statistics", "resync", "status", "verify", "wait-applied", "why").map(name -> CALLS + name))
            .map(Pattern::of).toList(),
        Role.READER, List.of(),
        // Each with the leaf tenant in its input, which names a tenant of the user.
        Role.TENANT, Stream.of("chain-trace", "dhcp-messages", "flows", "learned-hosts", "lease-release", "leases",
            "limits", "why").map(name -> Pattern.of(CALLS + name)).toList());
    /** Operations of Penstock that belong into the audit log: they change something, or give away packets. */
    private static final Set<String> EFFECTIVE = Set.of("capture", "lease-release", "resync");

    /** Names of tenants in a refusal. */
    private static final int MOST_NAMES = 20;

    private static List<Pattern> patterns(final String... texts) {
        return Stream.of(texts).map(Pattern::of).toList();
    }

    /**
     * Whether a request can change something, and so belongs into the audit log. A request by a path that is refused
     * to all counts, too.
     */
    public boolean hasEffect(final Call call) {
        if (call.isRead() || !call.isOperation()) {
            return !call.isRead();
        }
        final Optional<Step> operation = Resource.parse(call.path()).flatMap(Resource::last);
        return operation.isEmpty() || !operation.orElseThrow().module().equals("penstock-operations")
            && !ONLY_READ.contains(operation.orElseThrow().name())
            || EFFECTIVE.contains(operation.orElseThrow().local());
    }

    /** Whether a path has the only spelling in which it is judged; others are refused as malformed, to all. */
    public boolean isCanonical(final Call call) {
        return Resource.parse(call.path()).isPresent();
    }

    /**
     * Judges a request.
     *
     * @return why it is refused, to be told to the user; empty when it is granted
     */
    public Optional<String> refusal(final User user, final Call call) {
        final Optional<Resource> found = Resource.parse(call.path());
        if (found.isEmpty()) {
            return Optional.of("the path has another spelling than RESTCONF's");
        }
        final Resource resource = found.orElseThrow();
        final Optional<String> toAll = Closed.refusal(call, resource);
        if (toAll.isPresent() || user.role() == Role.PROVIDER) {
            return toAll;
        }
        if (call.isRead()) {
            return granted(READ, user, resource) ? Optional.empty() : notGranted(user, call);
        }
        if (call.body().length > MOST_BODY) {
            return Optional.of("a change has " + MOST_BODY + " bytes at most; divide it");
        }
        if (call.isOperation()) {
            return "POST".equals(call.method()) && granted(CALL, user, resource)
                ? user.role() == Role.TENANT ? ofInput(user, call) : Optional.empty() : notGranted(user, call);
        }
        return ofChange(user, call, resource);
    }

    private static Optional<String> notGranted(final User user, final Call call) {
        return Optional.of("role " + user.role().text() + " has no " + call.method() + " of it");
    }

    private static boolean granted(final Map<Role, List<Pattern>> table, final User user, final Resource resource) {
        return table.getOrDefault(user.role(), List.of()).stream()
            .anyMatch(pattern -> pattern.matches(resource, user));
    }

    /** The input must say in one way alone which tenant is meant. */
    private static Optional<String> ofInput(final User user, final Call call) {
        final Optional<JsonObject> input = call.isJson() ? Json.parse(call.body())
            .filter(JsonObject.class::isInstance).map(JsonObject.class::cast).filter(each -> each.size() == 1)
            .map(each -> each.entrySet().iterator().next()).filter(each -> local(each.getKey()).equals("input"))
            .map(Map.Entry::getValue).filter(JsonObject.class::isInstance).map(JsonObject.class::cast)
            : Optional.empty();
        final List<String> tenants = new ArrayList<>();
        input.ifPresent(members -> members.entrySet().stream().filter(each -> local(each.getKey()).equals("tenant"))
            .forEach(each -> tenants.add(each.getValue().isJsonPrimitive() ? each.getValue().getAsString() : "")));
        return tenants.size() == 1 && user.tenants().contains(tenants.get(0)) ? Optional.empty()
            : Optional.of("the input, in JSON, has to name a tenant of the account in the leaf tenant, one of "
                + user.tenants().stream().sorted().limit(MOST_NAMES).collect(Collectors.joining(", ")));
    }

    private static Optional<String> ofChange(final User user, final Call call, final Resource resource) {
        if ("DELETE".equals(call.method())) {
            return granted(CHANGE, user, resource) ? Optional.empty() : notGranted(user, call);
        }
        final Optional<JsonObject> body = call.isJson() || call.isPatch() ? Json.parse(call.body())
            .filter(JsonObject.class::isInstance).map(JsonObject.class::cast).filter(each -> each.size() == 1)
            : Optional.empty();
        if (body.isEmpty()) {
            return Optional.of("role " + user.role().text() + " sends changes as JSON with one member");
        }
        final Map.Entry<String, JsonElement> member = body.orElseThrow().entrySet().iterator().next();
        if (call.isPatch()) {
            return Edits.of(member.getValue()).filter(edits -> edits.stream().allMatch(edit ->
                resource.and(edit.target()).filter(target -> ofValue(user, target, edit.value())).isPresent()))
                .isPresent() ? Optional.empty() : Optional.of("an edit is not granted to role " + user.role().text());
        }
        final boolean granted = switch (call.method()) {
            case "POST" -> granted(CHANGE, user, resource.child(member.getKey()));
            case "PUT" -> ofValue(user, resource, body);
            case "PATCH" -> ofValue(user, resource, body) || ofMembers(user, resource, member);
            default -> false;
        };
        return granted ? Optional.empty() : notGranted(user, call);
    }

    /** Whether what a path leads to may be replaced by a value, which is that of this path and not of another. */
    private static boolean ofValue(final User user, final Resource target, final Optional<JsonObject> value) {
        return CHANGE.getOrDefault(user.role(), List.of()).stream().filter(each -> each.matches(target, user))
            .anyMatch(pattern -> value.isEmpty() || value.orElseThrow().entrySet().stream().allMatch(each ->
                target.last().filter(step -> step.local().equals(local(each.getKey()))).isPresent()
                    && pattern.lastKey(target).stream().allMatch(key -> isEntry(each.getValue(), key))));
    }

    private static boolean isEntry(final JsonElement value, final String name) {
        final JsonElement entry = value.isJsonArray() && value.getAsJsonArray().size() == 1
            ? value.getAsJsonArray().get(0) : value;
        return entry instanceof JsonObject object && object.entrySet().stream()
            .filter(each -> local(each.getKey()).equals("name")).toList().stream().allMatch(each ->
                each.getValue().isJsonPrimitive() && each.getValue().getAsString().equals(name));
    }

    /** Whether all that is merged into what a path leads to is granted by itself. */
    private static boolean ofMembers(final User user, final Resource resource,
            final Map.Entry<String, JsonElement> body) {
        return resource.last().filter(step -> step.local().equals(local(body.getKey())) && step.keys().isEmpty())
            .isPresent() && body.getValue() instanceof JsonObject members && members.keySet().stream()
            .allMatch(name -> !name.startsWith("@") && granted(CHANGE, user, resource.child(name)));
    }

    private static String local(final String name) {
        return name.substring(name.indexOf(':') + 1);
    }
}
