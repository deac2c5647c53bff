// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.engine.config.ConfigurationStore;
import io.penstock.engine.config.Desired;
import io.penstock.engine.whole.DataClient.Answer;
import io.penstock.pipeline.intent.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.southbound.openflow.MdSalInProcess;
import io.penstock.testkit.Documents;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Without an engine that can carry it out no change is stored, and the error names the reason. */
class GuardIT {
    private static final String PATH = Documents.ACLS + "/acl=all";
    private static final String DOCUMENT = """
        {'ietf-access-control-list:acl': [{'name': 'all', 'aces': {'ace': [{'name': 'one',
          'matches': {'ipv4': {'protocol': 17}}, 'actions': {'forwarding': 'ietf-access-control-list:drop'}}]}}]}""";

    @Test
    void nothingIsStoredWithoutAnEngine() {
        try (MdSalInProcess mdsal = new MdSalInProcess();
                ConfigurationStore store = new ConfigurationStore(mdsal.domBroker(), mdsal.broker())) {
            final DataClient client = new DataClient(mdsal);
            refused(client, "it has not started yet");
            final AtomicReference<Optional<String>> trouble = new AtomicReference<>(Optional.of("the disk is full"));
            store.start(() -> new Desired(0, Snapshot.empty(), Allocations.none()), Map::of, trouble::get, () -> { });
            refused(client, "the disk is full");
            trouble.set(Optional.empty());
            assertThat(client.data("PUT", PATH, DOCUMENT).isGood()).isTrue();
            store.stop("the engine has stopped");
            refused(client, "the engine has stopped");
            assertThat(client.data("DELETE", PATH, "").messages()).contains("the engine has stopped");
            assertThat(client.has(PATH)).isTrue();
        }
    }

    @Test
    void aListThatATenantNamesStays() {
        try (MdSalInProcess mdsal = new MdSalInProcess();
                ConfigurationStore store = new ConfigurationStore(mdsal.domBroker(), mdsal.broker())) {
            final DataClient client = new DataClient(mdsal);
            store.start(() -> new Desired(0, Snapshot.empty(), Allocations.none()), Map::of, Optional::empty,
                () -> { });
            assertThat(client.data("PUT", PATH, DOCUMENT).isGood()).isTrue();
            client.put(Documents.path("t"), Documents.tenants(List.of(
                "{'name': 't', 'egress-acl': 'all'}")));
            assertThat(client.data("DELETE", PATH, "").messages()).contains("tenant t: egress-acl: there is no acl");
        }
    }

    private static void refused(final DataClient client, final String reason) {
        final Answer answer = client.data("PUT", PATH, DOCUMENT);
        assertThat(answer.isGood()).isFalse();
        assertThat(answer.messages()).contains("the configuration cannot be changed", reason);
    }
}
