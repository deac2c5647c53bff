// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two controllers at one node's database: it takes orders of the one with the greater epoch alone. */
@Tag("hostile")
@Tag("safety")
class FenceIT {
    private static final String NODE = "pe1";
    private static final BridgeSpec ONE = Specs.bridge(List.of(Specs.system("acc0", 1)));
    private static final BridgeSpec TWO = Specs.bridge(List.of(Specs.system("acc0", 1), Specs.system("acc1", 2)));

    private final RecordingListener first = new RecordingListener();
    private final RecordingListener second = new RecordingListener();
    private final OvsdbServer former = new OvsdbServer();
    private final OvsdbServer later = new OvsdbServer();
    private OvsSandbox node;

    @BeforeEach
    void start() {
        former.start("127.0.0.1", 0);
        later.start("127.0.0.1", 0);
        node = new OvsSandbox();
        node.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.NODE + "=" + NODE, "--", "set-manager",
            "tcp:127.0.0.1:" + former.port(), "tcp:127.0.0.1:" + later.port());
        // By default the database ends a connection on which nothing came for five seconds, and makes another one.
        for (final String manager : node.vsctl("--bare", "--columns=_uuid", "list", "Manager").split("\\s+")) {
            node.vsctl("set", "Manager", manager, "inactivity_probe=60000");
        }
    }

    @AfterEach
    void stop() {
        node.close();
        former.close();
        later.close();
    }

    private String epoch() {
        return node.vsctl("get", "Open_vSwitch", ".", "external_ids:penstock-epoch").strip();
    }

    private boolean bothConnected() {
        return node.vsctl("--bare", "--columns=is_connected", "list", "Manager").lines()
            .filter("true"::equals).count() == 2;
    }

    @Test
    void theLaterTakesTheNodeAndTheFormerWritesNothing() {
        former.serve(first, 5);
        final NodeSession old = first.awaitNode(NODE);
        old.apply(ONE).join();
        Await.until("both are connected", this::bothConnected);
        assertThat(second.events).as("it stands by").isEmpty();

        later.serve(second, 6);
        final NodeSession session = second.awaitNode(NODE);
        assertThat(epoch()).isEqualTo("\"6\"");
        assertThatThrownBy(() -> old.apply(TWO).join()).isInstanceOf(CompletionException.class)
            .hasMessageContaining("takes orders of another controller");
        assertThatThrownBy(() -> old.dropCachedFlows().join()).isInstanceOf(CompletionException.class);
        assertThat(node.vsctl("list-ports", "br-penstock").lines()).containsExactly("acc0");
        first.awaitEvents("+pe1", "-pe1");

        session.apply(TWO).join();
        assertThat(node.vsctl("list-ports", "br-penstock").lines()).containsExactly("acc0", "acc1");
    }

    @Test
    void aFormerEpochTakesNothingBack() {
        later.serve(second, 6);
        final NodeSession session = second.awaitNode(NODE);
        Await.until("both are connected", this::bothConnected);
        former.serve(first, 5);
        // Each change of the database has it look again, and so does the time.
        node.vsctl("set", "Open_vSwitch", ".", "external_ids:other=1");
        session.apply(ONE).join();
        node.vsctl("set", "Open_vSwitch", ".", "external_ids:other=2");
        session.apply(TWO).join();
        assertThat(first.events).isEmpty();
        assertThat(second.events).doesNotContain("-pe1");
        assertThat(epoch()).isEqualTo("\"6\"");
    }

    /** Engines of two members in turn, as after faults: no connection has to end for that. */
    @Test
    void theLockGoesToAndFroByTheSameConnections() {
        former.serve(first, 5);
        final NodeSession one = first.awaitNode(NODE);
        Await.until("both are connected", this::bothConnected);
        later.serve(second, 6);
        final NodeSession other = second.awaitNode(NODE);
        for (int epoch = 7; epoch < 13; epoch += 2) {
            former.rest();
            first.sessions.clear();
            former.serve(first, epoch);
            assertThat(first.awaitNode(NODE)).isSameAs(one);
            later.rest();
            second.sessions.clear();
            later.serve(second, epoch + 1);
            assertThat(second.awaitNode(NODE)).isSameAs(other);
        }
        assertThat(epoch()).isEqualTo("\"12\"");
        later.rest();
        second.sessions.clear();
        later.serve(second, 13);
        assertThat(second.awaitNode(NODE)).as("it has the lock").isSameAs(other);
        assertThat(epoch()).isEqualTo("\"13\"");
    }

    @Test
    void oneThatRestsGivesTheNodeUpAndServesAnother() {
        former.serve(first, 5);
        final NodeSession old = first.awaitNode(NODE);
        former.rest();
        assertThat(first.events).containsExactly("+pe1", "-pe1");
        former.serve(second, 7);
        second.awaitNode(NODE).apply(ONE).join();
        assertThat(epoch()).isEqualTo("\"7\"");
        assertThat(first.events).containsExactly("+pe1", "-pe1");
        assertThat(old.announcement().name()).isEqualTo(NODE);
    }

    @Test
    void theLockComesBackToTheLaterOneThatLostIt() {
        later.serve(second, 6);
        second.awaitNode(NODE);
        // A program with the name of the lock and no epoch of its own, such as a controller that has just been ended.
        node.steal(NodeFence.LOCK);
        Await.until("taken again", () -> second.events.stream().filter("+pe1"::equals).count() == 2);
        assertThat(second.events).startsWith("+pe1", "-pe1", "+pe1");
    }
}
