// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.it.system.RestconfClient.Answer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Changes that conflict, from two clients within the same millisecond: at most one of them is stored, or both can be
 * carried out. The datastore judges the second one before the first is safe on disk.
 */
@Tag("safety")
@Tag("hostile")
@OnSystem
class RaceIT {
    private static final int VLAN = 100;
    private static final int ROUNDS = 40;
    private static final String POOL_ADDRESS = "198.51.100.0";
    private static final int MANY_SUBNETS = 100_000;

    private final EdgeSystem system;
    private final EdgeNode node;
    private final ExecutorService clients = Executors.newFixedThreadPool(2);

    RaceIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void reset() {
        system.reset();
    }

    @AfterEach
    void stop() {
        clients.shutdownNow();
    }

    /** A request. */
    private record Request(String method, String path, String document) { }

    @Test
    void anAddressHasOneOwner() throws Exception {
        final Request pool = put("pooled", Intent.tenant("pooled", node, VLAN, Intent.SMALL_POOL));
        final Request byHand = put("fixed", Intent.translated(
            Intent.tenant("fixed", node, VLAN + 1, Intent.SMALL_POOL), "{'public-address': '" + POOL_ADDRESS + "'}"));
        for (int round = 0; round < ROUNDS; round++) {
            final List<Answer> answers = round % 2 == 0 ? together(pool, byHand) : together(byHand, pool);
            assertThat(answers).anyMatch(Answer::isGood).allMatch(answer -> answer.isGood() || answer.isRefusal());
            system.awaitSync();
            assertThat(system.tenants().stream().map(tenant -> tenant.get("public").getAsString()))
                .as("round %d: %s", round, answers).hasSize((int) answers.stream().filter(Answer::isGood).count())
                .doesNotHaveDuplicates();
            for (final String tenant : List.of("pooled", "fixed")) {
                if (system.restconf().has(Intent.path(tenant))) {
                    system.restconf().delete(Intent.path(tenant));
                }
            }
            system.awaitSync();
        }
    }

    @Test
    void aListThatIsNamedIsThere() throws Exception {
        final String path = Intent.ACLS + "/acl=fleeting";
        final String list = """
            {'ietf-access-control-list:acl': [{'name': 'fleeting', 'aces': {'ace': [{'name': 'none', 'matches':
              {'ipv4': {'protocol': 17}}, 'actions': {'forwarding': 'ietf-access-control-list:drop'}}]}}]}""";
        final Request named =
            put("guarded", Intent.tenant("guarded", node, VLAN, Intent.FIRST_POOL, "'egress-acl': 'fleeting'"));
        for (int round = 0; round < ROUNDS; round++) {
            system.restconf().put(path, list);
            final Request removal = new Request("DELETE", path, "");
            final List<Answer> answers = round % 2 == 0 ? together(named, removal) : together(removal, named);
            assertThat(answers).as("round %d", round).filteredOn(Answer::isGood).hasSize(1);
            assertThat(system.restconf().has(Intent.path("guarded"))).isEqualTo(system.restconf().has(path));
            if (system.restconf().has(path)) {
                system.restconf().delete(Intent.path("guarded"));
                system.restconf().delete(path);
            }
        }
    }

    @Test
    void theSecondWriterOfAnEntryIsToldSo() throws Exception {
        overtaken();
    }

    @Test
    @Tag("deep")
    @Tag("fuzz")
    void ofTwoWritersOfAnEntryOneIsTheSecond() throws Exception {
        assertThat(overtaken()).as("both at once, in some round").isTrue();
    }

    /** Two clients write an entry again and again; whether one of them was the second in some round. */
    private boolean overtaken() throws Exception {
        final Request one = put("shared", Intent.tenant("shared", node, VLAN, Intent.FIRST_POOL));
        final Request other = put("shared", Intent.tenant("shared", node, VLAN + 1, Intent.FIRST_POOL));
        boolean isOvertaken = false;
        for (int round = 0; round < ROUNDS; round++) {
            final List<Answer> answers = together(one, other);
            assertThat(answers).as("round %d", round).anyMatch(Answer::isGood)
                .allMatch(answer -> answer.isGood() || answer.status() == 409);
            for (final Answer answer : answers) {
                if (!answer.isGood()) {
                    isOvertaken = true;
                    assertThat(answer.body()).contains("in-use", "tenant=shared", "another client", "repeat");
                }
            }
        }
        return isOvertaken;
    }

    @Test
    void aHugeRequestIsRefusedAndDelaysNoOtherWriter() throws Exception {
        final String subnets = IntStream.range(0, MANY_SUBNETS).mapToObj(index ->
            "{'name': 's%d', 'prefix': '10.0.0.0/8', 'gateway': '10.0.0.1'}".formatted(index))
            .collect(Collectors.joining(","));
        final String huge = "{'name': 'huge', 'attachment': [{'name': 'lan', 'node': '%s', 'port': 'acc0', 'vlan': 7}],"
            .formatted(node.name()) + "'subnet': [" + subnets + "]}";
        final Request other = put("other", Intent.tenant("other", node, VLAN, Intent.FIRST_POOL));
        final Future<Answer> refused = clients.submit(() -> send(put("huge", huge)));
        int meanwhile = 0;
        while (!refused.isDone()) {
            assertThat(send(other).isGood()).isTrue();
            meanwhile++;
        }
        assertThat(refused.get().isRefusal()).as("%s", refused.get()).isTrue();
        assertThat(refused.get().messages()).contains("tenant huge", "subnet", "100000 subnets are more than 256");
        assertThat(meanwhile).isPositive();
        assertThat(system.restconf().has(Intent.path("huge"))).isFalse();
    }

    private static Request put(final String tenant, final String document) {
        return new Request("PUT", Intent.path(tenant), Intent.tenants(List.of(document)));
    }

    private Answer send(final Request request) {
        return system.restconf().data(request.method(), request.path(), request.document());
    }

    /** Sends two requests at the same time; the answers are in their order. */
    private List<Answer> together(final Request one, final Request other) throws Exception {
        final CyclicBarrier start = new CyclicBarrier(2);
        final List<Future<Answer>> answers = clients.invokeAll(List.of(one, other).stream()
            .map(request -> (Callable<Answer>) () -> {
                start.await();
                return send(request);
            }).toList());
        return List.of(answers.get(0).get(), answers.get(1).get());
    }
}
