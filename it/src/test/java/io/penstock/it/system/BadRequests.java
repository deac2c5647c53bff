// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.common.QNameModule;
import org.opendaylight.yangtools.yang.model.api.ChoiceSchemaNode;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.opendaylight.yangtools.yang.model.api.LeafListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.LeafSchemaNode;
import org.opendaylight.yangtools.yang.model.api.ListSchemaNode;
import org.opendaylight.yangtools.yang.model.api.Module;
import org.opendaylight.yangtools.yang.model.api.RpcDefinition;
import org.opendaylight.yangtools.yang.model.api.TypedDataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.type.EnumTypeDefinition;
import org.opendaylight.yangtools.yang.model.api.type.RangeRestrictedTypeDefinition;

/**
 * Bad requests for each container, list and leaf of the configuration and of the inputs of RPCs, made from the models
 * alone, so that whatever is added to them is here too. A few of them may be good. The same seed makes the same.
 */
final class BadRequests {
    static final String JSON = "application/yang-data+json";
    static final String XML = "application/yang-data+xml";
    static final String PATCH_JSON = "application/yang-patch+json";
    private static final String OPERATIONS = "penstock-operations";
    private static final int LONG = 5000;
    private static final int DEEP = 60;
    /** Of those for a node. */
    private static final int FEW = 4;
    /** In the place of the value of a leaf. */
    private static final List<String> VALUES = List.of("{}", "[]", "[[1]]", "[1,2]", "null", "true", "{\"x\":1}", "-1",
        "1.5", "1e400", "99999999999999999999999", "\"0x10\"", "\"007\"", "\"\"", "\" \"", "\"\\u0000\"",
        "\"\\ud800\"", "\"'; --\"", "\"a/b:c%2F\"", "\"" + "x".repeat(LONG) + "\"", "\"300.1.2.3/99\"", "\"::/129\"",
        "[".repeat(DEEP) + "]".repeat(DEEP));
    /** In the place of a list or container. */
    private static final List<String> SHAPES = List.of("null", "5", "\"x\"", "true", "[]", "[[]]", "[null]", "[{}]",
        "{}", "[{\"zz\":1}]", "{\"zz\":1}", "{\"nomod:zz\":1}", "[{\"penstock-operations:node\":1}]",
        "[{\"name\":\"a\"},{\"name\":\"a\"}]", "[{\"name\":\"a\",\"name\":\"b\"}]", "[\"a\",\"a\"]", "{\"@\":{}}");
    private static final List<String> OPERATIONS_OF_EDITS = List.of("create", "merge", "replace", "insert", "delete",
        "move", "bogus");

    private final EffectiveModelContext models;
    private final String node;
    private final Random random;
    private final List<Request> requests = new ArrayList<>();

    /** A request; its path is what follows {@code /rests/}. */
    record Request(String method, String path, String type, byte[] body) {
        @Override
        public String toString() {
            final String text = new String(body, StandardCharsets.UTF_8);
            return "%s %.150s [%s] %.250s".formatted(method, path, type, text);
        }
    }

    /**
     * Where a node is.
     *
     * @param path of what it is in, below {@code /rests/data}
     * @param before the beginning of a body for the tree, up to the node
     * @param after the end of that body
     */
    private record Place(String path, QNameModule module, String before, String after) { }

    BadRequests(final EffectiveModelContext models, final String node, final long seed) {
        this.models = models;
        this.node = node;
        random = new Random(seed);
    }

    List<Request> requests() {
        for (final String tree : List.of("penstock:network", "ietf-access-control-list:acls")) {
            final String[] names = tree.split(":");
            final Module module = models.findModules(names[0]).iterator().next();
            final DataNodeContainer container = (DataNodeContainer) models.findDataTreeChild(
                QName.create(module.getQNameModule(), names[1])).orElseThrow();
            walk(container, new Place(tree, module.getQNameModule(), "{\"" + tree + "\":{", "}}"), tree);
        }
        final Module operations = models.findModules(OPERATIONS).iterator().next();
        operations.getRpcs().forEach(this::ofRpc);
        oddities();
        return requests;
    }

    private void walk(final DataNodeContainer in, final Place place, final String tree) {
        for (final DataSchemaNode child : children(in)) {
            final boolean isValue = child instanceof TypedDataSchemaNode;
            final String name = name(child, place.module());
            for (int i = 0; i < FEW; i++) {
                final String value = any(isValue ? VALUES : SHAPES);
                ofNode(child, place, tree, child instanceof LeafListSchemaNode && i > 1
                    ? "[" + value + "," + value + "]" : value, i);
            }
            if (child instanceof DataNodeContainer container) {
                final String keys = child instanceof ListSchemaNode list ? keys(list) : "";
                final String path = child instanceof ListSchemaNode list ? "=" + list.getKeyDefinition().stream()
                    .map(key -> encoded(key(list, key))).collect(Collectors.joining(",")) : "";
                walk(container, new Place(place.path() + "/" + name + path, child.getQName().getModule(),
                    place.before() + "\"" + name + "\":" + (keys.isEmpty() ? "{" : "[{" + keys + ","),
                    (keys.isEmpty() ? "}" : "}]") + place.after()), tree);
            }
        }
    }

    /** One value of a node, in one of the ways in which it can be sent. */
    private void ofNode(final DataSchemaNode child, final Place place, final String tree, final String value,
            final int way) {
        final String name = name(child, place.module());
        final String qualified = module(child.getQName().getModule()) + ":" + child.getQName().getLocalName();
        final String member = "{\"" + qualified + "\":" + value + "}";
        switch (way == 0 ? 0 : random.nextInt(7)) {
            case 0 -> add("PATCH", tree, JSON, place.before() + "\"" + name + "\":" + value + place.after());
            case 1 -> add("PUT", place.path() + "/" + name, JSON, member);
            case 2 -> add("POST", place.path(), JSON, member);
            case 3 -> add("PATCH", place.path() + "/" + name + "=k", JSON, member);
            case 4 -> add("PUT", place.path() + "/" + name, XML, "<" + child.getQName().getLocalName() + " xmlns=\""
                + child.getQName().getNamespace() + "\">" + value.replaceAll("[<&\"\\\\]", "") + "</"
                + child.getQName().getLocalName() + ">");
            case 5 -> add("DELETE", place.path() + "/" + name + (random.nextBoolean() ? "" : "="), JSON, "");
            default -> {
                final String operation = any(OPERATIONS_OF_EDITS);
                add("PATCH", tree, PATCH_JSON, "{\"ietf-yang-patch:yang-patch\":{\"patch-id\":\"p\",\"edit\":[{"
                    + "\"edit-id\":\"e1\",\"operation\":\"" + operation + "\",\"target\":\""
                    + place.path().substring(tree.length()) + "/" + name + "\"" + (random.nextInt(8) == 0 ? ""
                        : ",\"value\":" + member) + "}]}}");
            }
        }
    }

    private void ofRpc(final RpcDefinition rpc) {
        final String name = rpc.getQName().getLocalName();
        for (final String shape : List.of("", "{", "null", "[]", "{\"zz\":1}", "{\"penstock-operations:input\":5}",
                "{\"penstock-operations:input\":[]}", "{\"penstock-operations:input\":{\"zz\":1}}")) {
            rpc(name, shape);
        }
        for (final DataSchemaNode leaf : children(rpc.getInput())) {
            for (int i = 0; i < 2 * FEW; i++) {
                rpc(name, "{\"penstock-operations:input\":{\"" + leaf.getQName().getLocalName() + "\":" + any(VALUES)
                    + "}}");
            }
        }
    }

    private void rpc(final String name, final String body) {
        requests.add(new Request("POST", "operations/" + OPERATIONS + ":" + name, JSON,
            body.getBytes(StandardCharsets.UTF_8)));
    }

    /** Paths, methods and forms, of which no model tells. */
    private void oddities() {
        final String tenant = "penstock:network/tenant=fuzzed";
        for (final String path : List.of("", "%", "%zz", "%00", "%2F..%2Fetc", "..", "penstock:network/..",
                "penstock:network//", "penstock:network/", "penstock:network;x=1", "a:b:c", ":", "=", "zz", "zz:zz",
                "penstock:", ":network", "penstock:network=5", "penstock:network/tenant", "penstock:network/tenant=",
                "penstock:network/tenant=a,b", "penstock:network/tenant=a=b", "penstock:network/tenant=%",
                "penstock:network/tenant=%E0%A4%A", "penstock:network/tenant=%FF", "penstock:network/tenant=%00",
                "penstock:network/tenant=%0A", "penstock:network/tenant=" + "x".repeat(LONG), tenant + "/nat=5",
                tenant + "/subnet=lan/gateway/zz", tenant + "/zz", tenant + "/nat/penstock:penstock:pool",
                tenant + "/name", "penstock:network/pool=first/prefix=1", tenant + "?insert=bogus",
                tenant + "?insert=before&point=zz", tenant + "?insert=first", tenant + "?point=zz", tenant + "?depth=0",
                tenant + "?depth=zz", tenant + "?content=zz", tenant + "?fields=((", tenant + "?with-defaults=zz",
                tenant + "?zz=1", tenant + "?content=config&content=all", tenant + "/subnet=zz/gateway")) {
            for (final String method : List.of("GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "FOO")) {
                if (!path.isEmpty() || !method.equals("GET")) {
                    add(method, path, JSON, method.equals("DELETE") || method.equals("GET") ? ""
                        : "{\"penstock:tenant\":[{\"name\":\"fuzzed\",\"zz\":1}]}");
                }
            }
        }
        for (final String type : List.of("", "text/plain", "application/json", "application/json;charset=utf-16",
                "multipart/form-data", "application/xml", "application/yang-patch+xml", "x", JSON, XML, PATCH_JSON)) {
            for (final String method : List.of("PUT", "POST", "PATCH")) {
                for (final String body : List.of("", "{", "{}{}", "\u0000", "\uFEFF", "<", "<a", "<a/>",
                        "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>",
                        "{\"a\":{\"b\":[]}}",
                        "{\"penstock:tenant\":[],\"penstock:pool\":[]}", "{penstock:tenant:[/**/]}",
                        "[".repeat(LONG))) {
                    add(method, any(List.of(tenant, "penstock:network")), type, body);
                }
                requests.add(new Request(method, "data/" + tenant, type,
                    new byte[] {'{', '"', (byte) 0xff, (byte) 0xfe}));
            }
        }
    }

    private void add(final String method, final String path, final String type, final String body) {
        requests.add(new Request(method, "data/" + path, type, body.getBytes(StandardCharsets.UTF_8)));
    }

    /** What may be configured in a container, that of choices too. */
    private static List<DataSchemaNode> children(final DataNodeContainer in) {
        final List<DataSchemaNode> children = new ArrayList<>();
        for (final DataSchemaNode child : in.getChildNodes()) {
            if (child instanceof ChoiceSchemaNode choice) {
                choice.getCases().forEach(each -> children.addAll(children(each)));
            } else if (child.effectiveConfig().orElse(true)) {
                children.add(child);
            }
        }
        return children;
    }

    private String keys(final ListSchemaNode list) {
        return list.getKeyDefinition().stream().map(key -> "\"" + key.getLocalName() + "\":\"" + key(list, key) + "\"")
            .collect(Collectors.joining(","));
    }

    private String key(final ListSchemaNode list, final QName key) {
        final LeafSchemaNode leaf = (LeafSchemaNode) list.findDataTreeChild(key).orElseThrow();
        final String name = key.getLocalName();
        if (leaf.getType() instanceof RangeRestrictedTypeDefinition) {
            return "7";
        }
        if (leaf.getType() instanceof EnumTypeDefinition words) {
            return words.getValues().get(0).getName();
        }
        final String list4 = list.getQName().getLocalName();
        return name.endsWith("prefix") ? "10.0.0.0/24" : name.equals("node") || list4.equals("node") ? node
            : name.equals("port") ? "acc0" : name.equals("name") ? list4.equals("tenant") ? "fuzzed" : "lan"
            : "10.0.0.9";
    }

    private static String encoded(final String key) {
        return key.replace("/", "%2F").replace(":", "%3A");
    }

    private String name(final DataSchemaNode child, final QNameModule parent) {
        final QNameModule module = child.getQName().getModule();
        return (module.equals(parent) ? "" : module(module) + ":") + child.getQName().getLocalName();
    }

    private String module(final QNameModule module) {
        return models.findModule(module).orElseThrow().getName();
    }

    private String any(final List<String> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
