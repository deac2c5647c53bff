// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.configuration.ConfigurationStore;
import io.penstock.configuration.Desired;
import io.penstock.northbound.whole.DataClient.Answer;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.southbound.openflow.MdSalInProcess;
import io.penstock.testkit.Documents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Network;
import org.opendaylight.yangtools.yang.model.api.ChoiceSchemaNode;
import org.opendaylight.yangtools.yang.model.api.DataNodeContainer;
import org.opendaylight.yangtools.yang.model.api.DataSchemaNode;
import org.opendaylight.yangtools.yang.model.api.MustConstraintAware;

/**
 * Documents that break one rule of the model: the controller refuses each, with entry, leaf and rule. {@code ./penstock
 * lint} has yanglint refuse the same ones, so that the model states no rule that the controller does not know.
 */
class RefusedSamplesTest {
    private static final Path SAMPLES = Path.of("../model/src/test/samples/refused.json");

    private static MdSalInProcess mdsal;
    private static ConfigurationStore store;
    private static DataClient client;

    /** What is wrong with a document, and a part of the answer. */
    private record Sample(String what, String document, String controller) {
        @Override
        public String toString() {
            return what;
        }
    }

    @BeforeAll
    static void start() {
        mdsal = new MdSalInProcess();
        store = new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker());
        store.start(() -> new Desired(0, Snapshot.empty(), Allocations.none()), List::of, Optional::empty, () -> { });
        client = new DataClient(mdsal);
    }

    @AfterAll
    static void stop() {
        store.close();
        mdsal.close();
    }

    static Stream<Sample> samples() throws IOException {
        return StreamSupport.stream(JsonParser.parseString(Files.readString(SAMPLES)).getAsJsonArray().spliterator(),
            false).map(JsonElement::getAsJsonObject).map(each -> new Sample(text(each, "what"),
                each.get("document").toString(), text(each, "controller")));
    }

    /** The parts of the model's messages that samples show. */
    private static List<String> messages() throws IOException {
        return StreamSupport.stream(JsonParser.parseString(Files.readString(SAMPLES)).getAsJsonArray().spliterator(),
            false).map(each -> text(each.getAsJsonObject(), "model")).toList();
    }

    private static String text(final JsonObject sample, final String name) {
        return sample.get(name).getAsString();
    }

    @ParameterizedTest
    @MethodSource("samples")
    void isRefusedByTheController(final Sample sample) {
        for (final String method : List.of("PUT", "PATCH")) {
            final Answer answer = client.data(method, Documents.NETWORK, sample.document());
            assertThat(answer.isRefusal()).as("%s: %s", method, answer).isTrue();
            assertThat(answer.messages()).contains(sample.controller());
        }
    }

    @Test
    void eachRuleOfTheModelHasASample() throws IOException {
        final List<String> shown = messages();
        final List<String> musts = new ArrayList<>();
        collect((DataNodeContainer) mdsal.model().findDataTreeChild(Network.QNAME).orElseThrow(), musts);
        assertThat(musts).hasSizeGreaterThan(30)
            .allSatisfy(must -> assertThat(shown).anyMatch(must::startsWith));
    }

    private static void collect(final DataNodeContainer in, final List<String> musts) {
        for (final DataSchemaNode child : in.getChildNodes()) {
            if (child instanceof MustConstraintAware ruled) {
                ruled.getMustConstraints().forEach(must -> musts.add(must.getErrorMessage().orElseThrow()));
            }
            if (child instanceof ChoiceSchemaNode choice) {
                choice.getCases().forEach(each -> collect(each, musts));
            } else if (child instanceof DataNodeContainer container) {
                collect(container, musts);
            }
        }
    }
}
