// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a real database says of its node. */
@Timeout(720)
class AnnouncementIT extends ConnectedNode {
    private ApplyResult apply() {
        return session.apply(Specs.bridge(List.of(Specs.system("acc0", 1)))).join();
    }

    @Test
    void announcementWithQuotesBracesAndBackslashesIsRead() {
        node.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.PORTS
            + "=\"[{\\\"name\\\":\\\"a}\\\",\\\"role\\\":\\\"access\\\","
            + "\\\"type\\\":\\\"dpdk\\\",\\\"devargs\\\":\\\"x\\\\\\\\\\\"}]\"");

        Await.until("ports announced", () -> !session.announcement().ports().isEmpty());
        assertThat(session.announcement().ports()).containsExactly(
            new AnnouncedPort("a}", "access", "dpdk", "x\\"));
    }

    @Test
    void aNodeOfAnotherReleaseIsToldOfOnceAndServed() {
        assertThat(session.announcement().protocol()).isEqualTo(new SpokenProtocol(0, OptionalInt.empty()));
        assertThat(apply().changes()).isPositive();

        final PrintStream before = System.err;
        final ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            speak("7");
            Await.until("a warning", () -> !warnings(log).isEmpty());
            // Another change of the announcement is no reason to say it again.
            node.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.VHOST_DIR + "=/run/other");
            Await.until("the change", () -> session.announcement().vhostDirectory().equals("/run/other"));
            assertThat(apply().changes()).isZero();
        } finally {
            System.setErr(before);
        }
        assertThat(warnings(log)).hasSize(1).allSatisfy(line -> assertThat(line).contains("WARN").contains(
            "node pe1: its agent speaks version 7 of the node protocol, this controller version " + NodeKeys.VERSION
                + ": upgrade the controller"));
        assertThat(listener.events).doesNotContain("-pe1");

        speak(Integer.toString(NodeKeys.VERSION));
        Await.until("our version", () -> session.announcement().protocol().difference().isEmpty());
        node.vsctl("set", "Bridge", NodeKeys.BRIDGE, "external_ids:" + NodeKeys.NODE_FUNCTIONS + "=\"{}\"");
        Await.until("a former functions agent", () ->
            session.announcement().protocol().functions().equals(OptionalInt.of(0)));
        node.vsctl("set", "Bridge", NodeKeys.BRIDGE,
            "external_ids:" + NodeKeys.FUNCTIONS_PROTOCOL + "=" + NodeKeys.VERSION);
        Await.until("both speak ours", () -> session.announcement().protocol().difference().isEmpty());
    }

    private void speak(final String version) {
        node.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.PROTOCOL + "=" + version);
    }

    private static List<String> warnings(final ByteArrayOutputStream log) {
        return log.toString(StandardCharsets.UTF_8).lines().filter(line -> line.contains("node protocol")).toList();
    }

    @Test
    void whatTheNodeHasForFunctionsIsFollowed() {
        apply();
        assertThat(session.announcement().functions()).isEmpty();
        final String key = "external_ids:" + NodeKeys.NODE_FUNCTIONS + "=";
        node.vsctl("set", "Bridge", "br-penstock", key
            + "\"{\\\"cores\\\":[0,1],\\\"functions\\\":"
            + "{\\\"f\\\":{\\\"mode\\\":\\\"routed\\\",\\\"shared\\\":false}}}\"");
        Await.until("what it has", () -> session.announcement().functions().equals(Optional.of(
            new NodeFunctions(Set.of(0, 1), Map.of("f", new NodeFunctions.Entry(false, true, false))))));
        assertThat(apply().changes()).isZero();
        node.vsctl("set", "Bridge", "br-penstock", key + "nonsense");
        Await.until("nothing", () -> session.announcement().functions().isEmpty());
        assertThat(session.announcement().name()).isEqualTo("pe1");
    }
}
