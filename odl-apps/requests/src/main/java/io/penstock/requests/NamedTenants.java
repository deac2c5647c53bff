// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static java.util.Objects.requireNonNull;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.network.Tenant;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/**
 * The tenants that an accepted request names: in its path, in the targets of its edits, or as entries of its body in
 * JSON. Safe for all threads.
 */
final class NamedTenants {
    private static final String TENANT = Tenant.QNAME.getLocalName();
    /** Members that lead to the list of tenants. */
    private static final Set<String> OUTER = Set.of("data", "network", "yang-patch", "edit", "value");

    private final Supplier<EffectiveModelContext> models;

    NamedTenants(final Supplier<EffectiveModelContext> models) {
        this.models = requireNonNull(models);
    }

    /**
     * Names of tenants, in the order in which they are named, the first ones of many.
     *
     * @param path below {@code /rests/data}, still percent-encoded
     * @param body that was accepted; anything else than JSON names none
     */
    Set<String> of(final String path, final byte[] body) {
        final Set<String> names = new LinkedHashSet<>();
        if (!addOf(path, names)) {
            try (JsonReader json = new JsonReader(
                    new InputStreamReader(new ByteArrayInputStream(body), StandardCharsets.UTF_8))) {
                search(json, path, names);
            } catch (IOException | IllegalStateException e) {
                // It is XML, or empty.
                return names;
            }
        }
        return names;
    }

    /** Whether a path leads to or into a tenant. */
    private boolean addOf(final String path, final Set<String> names) {
        final Optional<List<String>> keys = Steps.of(models.get(), path).steps().stream()
            .filter(step -> step.node().getQName().equals(Tenant.QNAME)).map(Steps.Step::keys).findFirst()
            .filter(known -> known.size() == 1);
        keys.ifPresent(known -> add(known.get(0), names));
        return keys.isPresent();
    }

    private static void add(final String name, final Set<String> names) {
        if (names.size() < AcceptedChanges.MOST_TENANTS) {
            names.add(name);
        }
    }

    private void search(final JsonReader json, final String path, final Set<String> names) throws IOException {
        if (json.peek() == JsonToken.BEGIN_ARRAY) {
            json.beginArray();
            while (json.hasNext()) {
                search(json, path, names);
            }
            json.endArray();
        } else if (json.peek() == JsonToken.BEGIN_OBJECT) {
            json.beginObject();
            while (json.hasNext()) {
                final String name = local(json.nextName());
                if (name.equals("target") && json.peek() == JsonToken.STRING) {
                    addOf(path + "/" + json.nextString(), names);
                } else if (name.equals(TENANT)) {
                    entries(json, names);
                } else if (OUTER.contains(name)) {
                    search(json, path, names);
                } else {
                    json.skipValue();
                }
            }
            json.endObject();
        } else {
            json.skipValue();
        }
    }

    private static void entries(final JsonReader json, final Set<String> names) throws IOException {
        if (json.peek() == JsonToken.BEGIN_ARRAY) {
            json.beginArray();
            while (json.hasNext()) {
                entries(json, names);
            }
            json.endArray();
        } else {
            json.beginObject();
            while (json.hasNext()) {
                if (local(json.nextName()).equals("name")) {
                    add(json.nextString(), names);
                } else {
                    json.skipValue();
                }
            }
            json.endObject();
        }
    }

    private static String local(final String name) {
        return name.substring(name.indexOf(':') + 1);
    }
}
