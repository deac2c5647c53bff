// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.rules.Validator;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The network that docs/model.md builds is one that is accepted. */
class ModelDocumentTest {
    private static final Path DOCUMENT = Path.of("../../docs/model.md");
    private static final Pattern BLOCK = Pattern.compile("```json put=(\\S+)\n(.*?)```", Pattern.DOTALL);

    @Test
    void theExamplesTogetherAreRefusedForNothing() throws Exception {
        final JsonObject network = new JsonObject();
        final JsonObject acls = new JsonObject();
        network.add("backbone", new JsonObject());
        for (final MatchResult block : BLOCK.matcher(Files.readString(DOCUMENT)).results().toList()) {
            final JsonObject owner = block.group(1).startsWith("penstock:network/backbone/")
                ? network.getAsJsonObject("backbone") : block.group(1).startsWith("penstock:network/") ? network : acls;
            JsonParser.parseString(block.group(2)).getAsJsonObject().entrySet().forEach(each -> merge(owner, each));
        }
        final Snapshot snapshot = NetworkReaderTest.reader().read(
            Optional.of(NetworkReaderTest.parse(inside("penstock:network", network))),
            Optional.of(NetworkReaderTest.parse(inside("ietf-access-control-list:acls", acls))));
        assertThat(snapshot.tenants()).containsKeys("violet", "indigo", "jade", "crimson");
        assertThat(snapshot.backbone().resolvers()).isNotEmpty();
        assertThat(Validator.validate(snapshot, Allocations.none())).isEmpty();
    }

    /** Adds to what is there under the name without its module. */
    private static void merge(final JsonObject owner, final Map.Entry<String, JsonElement> entry) {
        final String name = entry.getKey().substring(entry.getKey().indexOf(':') + 1);
        if (entry.getValue() instanceof JsonArray more && owner.has(name)) {
            owner.getAsJsonArray(name).addAll(more);
        } else {
            owner.add(name, entry.getValue());
        }
    }

    private static String inside(final String name, final JsonObject content) {
        final JsonObject whole = new JsonObject();
        whole.add(name, content);
        return whole.toString();
    }
}
