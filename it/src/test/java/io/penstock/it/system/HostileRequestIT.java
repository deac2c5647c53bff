// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.it.system.RestconfClient.Answer;
import io.penstock.testkit.Await;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests that RESTCONF or the datastore of OpenDaylight take badly: refused before they are read. */
@Tag("hostile")
@OnSystem
class HostileRequestIT {
    private static final int VLAN = 100;
    private static final int TOO_LONG = 17 << 20;
    private static final int TOO_DEEP = 100;
    /** Connections, more than bodies are read at once, even of known users. */
    private static final int MANY = 60;
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final EdgeSystem system;
    private final EdgeNode node;

    HostileRequestIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void reset() {
        system.reset();
    }

    @Test
    void oneValueOfAListIsRefusedAndDelaysNoOtherWriter() {
        final String path = Intent.NETWORK + "/pool=" + Intent.SMALL_POOL;
        final CompletableFuture<Answer> refused = CompletableFuture.supplyAsync(() -> system.restconf().data("PUT",
            path + "/prefix=198.19.12.0%2F30", "{'penstock:prefix': ['198.19.12.0/30']}"));
        final CompletableFuture<Void> neighbour = CompletableFuture.runAsync(() -> system.restconf().put(
            Intent.path("other"), Intent.tenants(List.of(Intent.tenant("other", node, VLAN, Intent.FIRST_POOL)))));
        final Answer answer = refused.join();
        assertThat(answer.isRefusal()).as("%s", answer).isTrue();
        assertThat(answer.messages()).contains("pool=small/prefix=198.19.12.0/30", "leaf-list", "write the entry");
        neighbour.join();
    }

    @Test
    void theOtherCaseOfAChoiceDelaysNoOtherWriter() {
        final String tenant = Intent.tenant("chosen", node, VLAN, Intent.FIRST_POOL);
        system.restconf().put(Intent.path("chosen"), Intent.tenants(List.of(tenant)));
        final Answer answer = system.restconf().data("PATCH", Intent.path("chosen"),
            Intent.tenants(List.of("{'name': 'chosen', 'nat': {'public-address': '198.51.100.0'}}")));
        system.restconf().put(Intent.path("other"),
            Intent.tenants(List.of(Intent.tenant("other", node, VLAN + 1, Intent.FIRST_POOL))));
        assertThat(answer.status()).as("%s", answer).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
        assertThat(stored("chosen"))
            .contains("\"public-address\"").doesNotContain("\"pool\"");
    }

    private String stored(final String tenant) {
        return system.restconf().data("GET", Intent.path(tenant) + "?content=config", "").body();
    }

    @Test
    void aPatchOfManyReplacesTheOtherCaseInEach() {
        system.restconf().put(Intent.path("chosen"), Intent.tenants(List.of(
            Intent.tenant("chosen", node, VLAN, Intent.FIRST_POOL))));
        final String other = Intent.tenant("other", node, VLAN + 1, Intent.FIRST_POOL);
        final Answer both = system.restconf().data("PATCH", Intent.NETWORK, Intent.patch("tenant", List.of(
            "{'name': 'chosen', 'nat': {'public-address': '198.51.100.0'}}", other)));
        assertThat(both.isGood()).as("%s", both).isTrue();
        assertThat(system.restconf().has(Intent.path("other"))).isTrue();
        final Answer back = system.restconf().data("PATCH", Intent.path("chosen"), Intent.tenants(List.of(
            "{'name': 'chosen', 'chain': 'none', 'nat': {'pool': '" + Intent.FIRST_POOL + "'}}")));
        assertThat(back.messages()).as("by the check at commit").startsWith("tenant chosen: chain: there is no chain");
        assertThat(stored("chosen")).contains("\"public-address\"");
    }

    @Test
    void anXmlPatchToTheOtherCaseIsRefusedAndAYangPatchIsNot() {
        system.restconf().put(Intent.path("chosen"), Intent.tenants(List.of(
            Intent.tenant("chosen", node, VLAN, Intent.FIRST_POOL))));
        final Answer xml = system.restconf().raw("PATCH", "data/" + Intent.path("chosen") + "/nat",
            "application/yang-data+xml", ("<nat xmlns=\"urn:penstock:network\">"
                + "<public-address>198.51.100.0</public-address></nat>").getBytes(StandardCharsets.UTF_8));
        assertThat(xml.status()).as("%s", xml).isEqualTo(400);
        assertThat(xml.messages()).contains("of pool and public-address there is one");
        final Answer patch = patched("{'edit-id': 'e1', 'operation': 'remove', 'target': '/tenant=chosen/nat/pool'},"
            + edit("e2", "merge", "/tenant=chosen/nat", "{'penstock:nat': {'public-address': '198.51.100.0'}}"));
        assertThat(patch.isGood()).as("%s", patch).isTrue();
    }

    @Test
    void aListWithoutAnEntryKeepsNoThread() {
        for (final String method : List.of("POST", "PUT", "PATCH")) {
            final Answer answer = system.restconf().data(method, method.equals("POST") ? Intent.NETWORK
                : Intent.path("none"), "{'penstock:tenant': []}");
            assertThat(answer.status()).as("%s", answer).isEqualTo(400);
        }
    }

    @Test
    void aYangPatchThatIsRefusedNamesItsEditAndStoresNoneOfThem() {
        final String good = Intent.tenants(List.of(Intent.tenant("good", node, VLAN, Intent.FIRST_POOL)));
        final String taken = Intent.tenants(List.of(Intent.tenant("taken", node, VLAN, Intent.FIRST_POOL)));
        final String edits = edit("e1", "create", "/tenant=good", good) + ","
            + edit("e2", "create", "/tenant=taken", taken);
        final Answer byTheGuard = patched(edits);
        assertThat(byTheGuard.status()).as("%s", byTheGuard).isEqualTo(400);
        assertThat(byTheGuard.messages()).startsWith("edits e1, e2: tenant taken: attachment lan / vlan: ");
        final Answer byTheFilter = patched(edits.replace("'vlan': " + VLAN, "'vlan': 4095"));
        assertThat(byTheFilter.messages()).startsWith("edit e1: tenant good: attachment lan / vlan: 4095 is not in");
        final Answer byRestconf = patched(edit("e1", "create", "/tenant=good", good) + ","
            + "{'edit-id': 'e2', 'operation': 'delete', 'target': '/tenant=none'}");
        assertThat(byRestconf.status()).as("%s", byRestconf).isEqualTo(409);
        assertThat(byRestconf.messages()).startsWith("edit e2: ");
        assertThat(system.restconf().has(Intent.path("good"))).isFalse();
        assertThat(patched(edit("e1", "create", "/tenant=good", good)).isGood()).isTrue();
    }

    private static String edit(final String id, final String operation, final String target, final String value) {
        return "{'edit-id': '%s', 'operation': '%s', 'target': '%s', 'value': %s}".formatted(id, operation, target,
            value);
    }

    private Answer patched(final String edits) {
        return system.restconf().raw("PATCH", "data/" + Intent.NETWORK, "application/yang-patch+json",
            "{'ietf-yang-patch:yang-patch': {'patch-id': 'p', 'edit': [%s]}}".formatted(edits).replace('\'', '"')
                .getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aKeyIsNotRemovedFromItsEntry() {
        final Answer answer =
            system.restconf().data("DELETE", Intent.NETWORK + "/pool=" + Intent.SMALL_POOL + "/name", "");
        assertThat(answer.isRefusal()).as("%s", answer).isTrue();
        assertThat(answer.messages()).contains("pool=small/name", "key");
    }

    @Test
    void aBodyIsRefusedByItsLengthOrDepth() {
        final Answer tooLong = system.restconf().data("PUT", Intent.path("long"),
            Intent.tenants(List.of("{'name': 'long', 'chain': '" + "x".repeat(TOO_LONG) + "'}")));
        assertThat(tooLong.status()).isEqualTo(413);
        assertThat(tooLong.messages()).contains("longer than 16777216 bytes", "several requests");
        final Answer tooDeep = system.restconf().data("PUT", Intent.path("deep"),
            "{'penstock:tenant': " + "[".repeat(TOO_DEEP) + "]".repeat(TOO_DEEP) + "}");
        assertThat(tooDeep.status()).isEqualTo(400);
        assertThat(tooDeep.messages()).contains("101 levels deep");
    }

    @Test
    void sendersOfMadeUpUsersDelayNoChange() throws IOException {
        final List<SocketChannel> senders = new ArrayList<>();
        try {
            for (int i = 0; i < MANY; i++) {
                senders.add(system.restconf().beginAsAStranger(Intent.path("stranger")));
            }
            Await.until("no room for more of them",
                () -> system.restconf().changeAsAStranger(Intent.path("stranger")).status() == 503);
            system.restconf().put(Intent.path("known"),
                Intent.tenants(List.of(Intent.tenant("known", node, VLAN, Intent.FIRST_POOL))));
        } finally {
            for (final SocketChannel sender : senders) {
                sender.close();
            }
        }
    }

    @Test
    void whatIsMissingIsNamed() {
        final Answer answer = system.restconf().data("PUT", Intent.path("vague"), Intent.tenants(List.of(
            Intent.tenant("vague", node, VLAN, Intent.FIRST_POOL).replace(", 'vlan': " + VLAN, ""))));
        assertThat(answer.isRefusal()).as("%s", answer).isTrue();
        assertThat(answer.messages()).contains("tenant vague", "attachment lan / vlan", "is missing");
    }

    /** Each of them takes much less, and far more if another writer waits, or a thread. */
    @Test
    @Tag("deep")
    @Tag("flood")
    void noneOfThemTakesSeconds() throws IOException {
        for (final Task task : List.<Task>of(this::theOtherCaseOfAChoiceDelaysNoOtherWriter,
                this::aListWithoutAnEntryKeepsNoThread, this::sendersOfMadeUpUsersDelayNoChange)) {
            final long begun = System.nanoTime();
            task.run();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONGEST);
            system.reset();
        }
    }

    /** A test. */
    private interface Task {
        void run() throws IOException;
    }
}
