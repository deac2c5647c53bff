// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Throwables;
import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.ConfigurationStore;
import io.penstock.configuration.DatastoreException;
import io.penstock.configuration.Desired;
import io.penstock.configuration.JournalLines;
import io.penstock.configuration.Mastership;
import io.penstock.configuration.Readiness;
import io.penstock.configuration.Stored;
import io.penstock.northbound.whole.DataClient.Answer;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.rules.Violation;
import io.penstock.southbound.openflow.MdSalInProcess;
import io.penstock.testkit.Documents;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.opendaylight.mdsal.binding.api.WriteTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.MastershipBuilder;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.yang.common.Uint64;

/** Without an engine that can carry it out no change is stored, and the error names the reason. */
@Tag("hostile")
@Tag("safety")
class GuardIT {
    private static final Instant TIME = Instant.parse("2026-11-26T12:00:00Z");
    private static final InstanceIdentifier<
        org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Mastership> MASTERSHIP =
        InstanceIdentifier.create(org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations.class)
            .child(org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Mastership.class);
    private static final String PATH = Documents.ACLS + "/acl=all";
    private static final List<String> WRONG = List.of("{'name': 'first', 'chain': 'gone'}",
        "{'name': 'second', 'egress-acl': 'gone'}");
    private static final String DOCUMENT = """
        {'ietf-access-control-list:acl': [{'name': 'all', 'aces': {'ace': [{'name': 'one',
          'matches': {'ipv4': {'protocol': 17}}, 'actions': {'forwarding': 'ietf-access-control-list:drop'}}]}}]}""";

    @Test
    void nothingIsStoredWithoutAnEngine() {
        try (MdSalInProcess mdsal = new MdSalInProcess();
                ConfigurationStore store = new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker())) {
            final DataClient client = new DataClient(mdsal);
            refused(client, "it has not started yet");
            final AtomicReference<Optional<String>> trouble = new AtomicReference<>(Optional.of("the disk is full"));
            store.start(() -> new Desired(0, Snapshot.empty(), Allocations.none()), List::of, trouble::get, () -> { });
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
    void changesOfOthersAreRefusedForWantOfRoomAlone() {
        try (MdSalInProcess mdsal = new MdSalInProcess();
                ConfigurationStore store = new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker())) {
            final DataClient client = new DataClient(mdsal);
            final String place = "opendaylight-inventory:nodes";
            final String document = "{'opendaylight-inventory:nodes': {'node': [{'id': '7'}]}}";
            client.put(place, document);
            final AtomicReference<Optional<String>> shortage = new AtomicReference<>(Optional.of("the disk is full"));
            store.refuseDuring(shortage::get);
            assertThat(client.data("PUT", place, document.replace('7', '8')).messages())
                .contains("nothing can be stored", "the disk is full");
            shortage.set(Optional.empty());
            client.put(place, document.replace('7', '8'));
        }
    }

    @Test
    void aFormerMasterWritesNothing() {
        try (MdSalInProcess mdsal = new MdSalInProcess();
                ConfigurationStore store = new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker())) {
            final Allocations allocations = Allocations.none().withSecret("a".repeat(64));
            final Mastership first = store.claim("member-1", TIME);
            assertThat(first.epoch()).isEqualTo(TIME.getEpochSecond());
            final Mastership second = store.claim("member-2", TIME.minusSeconds(5));
            assertThat(second.epoch()).as("a clock that is behind").isEqualTo(first.epoch() + 1);
            assertThatThrownBy(() -> store.writeAllocations(first, Allocations.none(), allocations, Optional.empty(),
                JournalLines.NONE))
                .isInstanceOf(DatastoreException.class).hasMessageContaining("the master no more")
                .hasMessageContaining("was followed by " + second.epoch() + " of member-2");
            assertThat(store.readAllocations()).isEqualTo(Allocations.none());
            store.writeAllocations(second, Allocations.none(), allocations, Optional.empty(),
                JournalLines.NONE);
            assertThat(store.readAllocations()).isEqualTo(allocations);
            assertThat(store.claim("member-1", TIME.plusSeconds(9)).epoch()).isEqualTo(TIME.getEpochSecond() + 9);
        }
    }

    /** As a member does whose transaction was under way when it lost the leadership: without what it had read. */
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    @Test
    void whatAFormerMasterRepeatsIsRefused() throws Exception {
        try (MdSalInProcess mdsal = new MdSalInProcess();
                ConfigurationStore store = new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker());
                TaskThread engine = new TaskThread("engine")) {
            final Mastership first = store.claim("member-1", TIME);
            final Mastership second = store.claim("member-2", TIME);
            final AtomicBoolean ends = new AtomicBoolean();
            final AtomicInteger stored = new AtomicInteger();
            final CompletableFuture<Void> end = new CompletableFuture<>();
            engine.run(() -> {
                storeUntil(ends, stored, store, second);
                end.complete(null);
            });
            int refusedAsFormer = 0;
            // As often as it takes to have had both: a refusal, and a change of the master beside it.
            for (int attempt = 0; attempt < 1000 || refusedAsFormer == 0 || stored.get() == 0; attempt++) {
                final WriteTransaction repeated = mdsal.broker().newWriteOnlyTransaction();
                repeated.mergeParentStructurePut(LogicalDatastoreType.CONFIGURATION, MASTERSHIP,
                    new MastershipBuilder().setEpoch(Uint64.valueOf(first.epoch())).setMember(first.member()).build());
                final ExecutionException refused =
                    assertThrows(ExecutionException.class, () -> repeated.commit().get(1, TimeUnit.MINUTES));
                refusedAsFormer += Throwables.getStackTraceAsString(refused).contains("member-1 is the master no more")
                    ? 1 : 0;
            }
            ends.set(true);
            end.get(1, TimeUnit.MINUTES);
            assertThat(stored).as("the master goes on").hasPositiveValue();
            assertThat(refusedAsFormer).as("while the master stored").isPositive();
            store.writeAllocations(second, store.readAllocations(), Allocations.none(), Optional.empty(),
                JournalLines.NONE);
        }
    }

    private static void storeUntil(final AtomicBoolean ends, final AtomicInteger times, final ConfigurationStore store,
            final Mastership master) {
        while (!ends.get()) {
            final Allocations now = store.readAllocations();
            try {
                store.writeAllocations(master, now, now.withSecret(Integer.toHexString(times.get())), Optional.empty(),
                    JournalLines.NONE);
                times.incrementAndGet();
            } catch (DatastoreException e) {
                // Both have written the mastership: the later one conflicts.
                assertThat(e).hasMessageNotContaining("master no more");
            }
        }
    }

    @Test
    void theControllerAloneChangesWhatItHandedOut() {
        try (MdSalInProcess mdsal = new MdSalInProcess();
                ConfigurationStore store = new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker())) {
            final DataClient client = new DataClient(mdsal);
            final Allocations allocations = Allocations.none().withSecret("a".repeat(64));
            store.writeAllocations(store.claim("member-1", TIME), Allocations.none(), allocations, Optional.empty(),
                JournalLines.NONE);
            final String place = "penstock-allocation:allocations";
            assertThat(client.data("PUT", place, "{'penstock-allocation:allocations': {'last-vrf': 7}}").messages())
                .contains("penstock-allocation is written by the controller alone");
            assertThat(client.data("DELETE", place, "").messages())
                .contains("penstock-allocation is written by the controller alone");
            assertThat(store.readAllocations()).isEqualTo(allocations);
        }
    }

    @Test
    void aListThatATenantNamesStays() {
        try (MdSalInProcess mdsal = new MdSalInProcess();
                ConfigurationStore store = new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker())) {
            final DataClient client = new DataClient(mdsal);
            store.start(() -> new Desired(0, Snapshot.empty(), Allocations.none()), List::of, Optional::empty,
                () -> { });
            assertThat(client.data("PUT", PATH, DOCUMENT).isGood()).isTrue();
            client.put(Documents.path("t"), Documents.tenants(List.of(
                "{'name': 't', 'egress-acl': 'all'}")));
            assertThat(client.data("DELETE", PATH, "").messages()).contains("tenant t: egress-acl: there is no acl");
        }
    }

    @Test
    void aStoredConfigurationThatBreaksRulesIsRepairedStepByStep() {
        try (MdSalInProcess mdsal = new MdSalInProcess()) {
            final DataClient client = new DataClient(mdsal);
            // No guard yet: like a restored copy.
            client.put(Documents.NETWORK, "{'penstock:network': {'tenant': [" + String.join(",", WRONG) + "]}}");
            try (ConfigurationStore store = new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker())) {
                store.start(() -> new Desired(0, Snapshot.empty(), Allocations.none()), List::of, Optional::empty,
                    () -> { });
                assertThat(stored(store)).contains("tenant first: chain: there is no chain 'gone'",
                    "tenant second: egress-acl: there is no acl 'gone'");
                assertThat(store.readiness().level()).isEqualTo(Readiness.Level.IMPAIRED);
                assertThat(client.data("PUT", Documents.path("third"), Documents.tenants(List.of(
                    "{'name': 'third', 'chain': 'gone'}"))).isGood()).as("one more").isFalse();
                assertThat(client.data("PUT", Documents.path("first"), Documents.tenants(List.of(
                    "{'name': 'first', 'egress-acl': 'gone'}"))).isGood()).as("another").isFalse();
                assertThat(client.data("DELETE", Documents.path("first"), "").isGood()).isTrue();
                assertThat(stored(store)).doesNotContain("first").contains("tenant second: egress-acl");
                client.put(Documents.path("second"), Documents.tenants(List.of("{'name': 'second'}")));
                assertThat(stored(store)).isEmpty();
                assertThat(store.readiness()).isEqualTo(new Readiness(Readiness.Level.READY, ""));
            }
        }
    }

    /** What is wrong with what is stored, as the engine finds it and as people are told. */
    private static String stored(final ConfigurationStore store) {
        final Stored stored = store.stored(Allocations.none());
        stored.violations().stream().limit(1).forEach(violation ->
            assertThat(store.readiness().reason()).contains(violation.toString()));
        return stored.violations().stream().map(Violation::toString).collect(Collectors.joining("; "));
    }

    @Test
    void readinessTellsWhyThereIsNoEngine() {
        try (MdSalInProcess mdsal = new MdSalInProcess();
                ConfigurationStore store = new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker())) {
            assertThat(store.readiness().level()).isEqualTo(Readiness.Level.ABSENT);
            store.fail("it did not start: line 3 of the journal is damaged");
            assertThat(store.readiness()).isEqualTo(new Readiness(Readiness.Level.FAILED,
                "it did not start: line 3 of the journal is damaged"));
            refused(new DataClient(mdsal), "line 3 of the journal is damaged");
            final AtomicReference<Optional<String>> trouble = new AtomicReference<>(Optional.of("the disk is full"));
            store.start(() -> new Desired(0, Snapshot.empty(), Allocations.none()), List::of, trouble::get, () -> { });
            assertThat(store.readiness()).isEqualTo(new Readiness(Readiness.Level.IMPAIRED, "the disk is full"));
            trouble.set(Optional.empty());
            assertThat(store.readiness().level()).isEqualTo(Readiness.Level.READY);
            store.stop("the engine has stopped");
            assertThat(store.readiness().level()).isEqualTo(Readiness.Level.ABSENT);
        }
    }

    private static void refused(final DataClient client, final String reason) {
        final Answer answer = client.data("PUT", PATH, DOCUMENT);
        assertThat(answer.isGood()).isFalse();
        assertThat(answer.messages()).contains("the configuration cannot be changed", reason);
    }
}
