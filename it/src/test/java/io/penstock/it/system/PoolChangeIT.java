// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.it.Datagrams;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Public addresses are drained, taken away with a word beforehand, and watched. */
@Tag("safety")
@OnSystem
class PoolChangeIT {
    private static final int FIRST_VLAN = 310;
    private static final int SECOND_VLAN = 311;
    private static final int ECHO = 7011;
    private static final String POOL = Intent.NETWORK + "/pool=" + Intent.SMALL_POOL;

    private final EdgeSystem system;
    private final EdgeNode node;

    PoolChangeIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void reset() {
        system.reset();
    }

    /** A pool of two addresses, or as many as are in its prefixes, with further leaves. */
    private static String pool(final String prefixes, final String more) {
        return Intent.list("pool", List.of("{'name': '%s', 'prefix': [%s]%s}"
            .formatted(Intent.SMALL_POOL, prefixes, more.isEmpty() ? "" : ", " + more)));
    }

    private void add(final String tenant, final int vlan) {
        system.restconf().put(Intent.path(tenant),
            Intent.tenants(List.of(Intent.tenant(tenant, node, vlan, Intent.SMALL_POOL))));
        system.awaitApplied();
    }

    private static List<JsonObject> entries(final JsonObject owner, final String list) {
        return StreamSupport.stream((owner.has(list) ? owner.getAsJsonArray(list) : new JsonArray()).spliterator(),
            false).map(JsonElement::getAsJsonObject).toList();
    }

    private JsonObject usage() {
        return entries(system.restconf().call("nat-usage", "{}"), "pool").stream()
            .filter(pool -> pool.get("name").getAsString().equals(Intent.SMALL_POOL)).findFirst().orElseThrow();
    }

    private static void awaitEvent(final EventStream stream, final int index, final String expected) {
        Await.until("event " + index, () -> stream.events().size() > index);
        assertThat(stream.events().get(index).toString().replace('"', '\'')).contains(expected.split(" "));
    }

    /** That all kinds of events are sent is in {@code PoolEventsIT} of the engine. */
    @Test
    void anEventReachesAListener() {
        system.restconf().put(POOL, pool("'198.51.100.0/31'",
            "'notify-pool-usage': {'high-threshold': 100, 'low-threshold': 50}"));
        try (EventStream stream = system.restconf().listen("penstock-operations:nat-pool-event")) {
            add("first", FIRST_VLAN);
            add("second", SECOND_VLAN);
            awaitEvent(stream, 0, "'event':'high-threshold' 'pool':'small' 'used':'2' 'size':'2'");
        }
    }

    @Test
    void aPoolIsDrainedPreviewedAndMadeSmaller() {
        node.network().transit().route("198.51.100.0/30", EdgeNode.BACKBONE_ADDRESS);
        system.restconf().put(POOL, pool("'198.51.100.0/31'", ""));
        add("first", FIRST_VLAN);
        final Host host = node.host(FIRST_VLAN);
        Datagrams.echo(node.network().server(), ECHO);
        host.reaches(EdgeNetwork.SERVER);
        assertThat(system.publicAddress("first")).isEqualTo("198.51.100.0");

        system.restconf().put(POOL, pool("'198.51.100.0/31', '198.51.100.2/31'", "'drain': ['198.51.100.0/31']"));
        add("second", SECOND_VLAN);
        assertThat(system.publicAddress("second")).isEqualTo("198.51.100.2");
        assertThat(usage().getAsJsonArray("drain").toString().replace('"', '\''))
            .isEqualTo("[{'prefix':'198.51.100.0/31','tenant':['first']}]");

        final String smaller = pool("'198.51.100.2/31'", "");
        assertThat(system.restconf().data("PUT", POOL, smaller)).satisfies(answer -> {
            assertThat(answer.isRefusal()).isTrue();
            assertThat(answer.messages()).contains(
                "pool small: prefix: the change takes the addresses of 1 tenant and ends their connections; set force");
        });
        node.openSessions();
        assertThat(Datagrams.echoed(host, EdgeNetwork.SERVER, ECHO, 300, 64, "0.01")).isEqualTo("300");
        final JsonObject preview =
            system.restconf().call("nat-preview", "{'pool': 'small', 'prefix': ['198.51.100.2/31']}");
        assertThat(entries(preview, "move")).singleElement().satisfies(move -> {
            assertThat(move.get("tenant").getAsString()).isEqualTo("first");
            assertThat(move.get("from").getAsString()).isEqualTo("198.51.100.0");
            assertThat(move.get("to").getAsString()).isEqualTo("198.51.100.3");
            assertThat(move.get("sessions").getAsInt()).isEqualTo(1);
        });
        assertThat(system.restconf().operation("nat-preview", "{'pool': 'none', 'prefix': ['198.51.100.2/31']}"))
            .satisfies(answer -> assertThat(answer.messages()).isEqualTo("pool: there is no pool 'none'"));

        system.restconf().put(POOL, pool("'198.51.100.2/31'", "'force': true"));
        system.awaitApplied();
        assertThat(system.publicAddress("first")).isEqualTo("198.51.100.3");
        host.reaches(EdgeNetwork.SERVER);
        assertThat(entries(system.restconf().call("nat-preview", "{'pool': 'small', 'prefix': ['198.51.100.2/31']}"),
            "move")).isEmpty();
        system.awaitSync();
    }
}
