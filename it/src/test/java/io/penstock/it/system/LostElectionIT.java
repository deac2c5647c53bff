// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.Await;
import io.penstock.testkit.Shell;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A switch that was gone before the controller was elected for it is served when it is back. */
@Tag("hostile")
@OnSystem
class LostElectionIT {
    /** Far more than it takes; the database has to connect, too. */
    private static final Duration LIMIT = Duration.ofMinutes(2);
    /** Nine seconds at most until it is noticed, and two until it has connected again. */
    private static final Duration SERVED = Duration.ofSeconds(15);
    private static final Duration ROUND = Duration.ofMinutes(2);
    private static final String TIMES = "20";
    private static final String FEW_TIMES = "4";
    private static final Path PROGRAM =
        ControllerUnderTest.ROOT.resolve("it/src/test/resources/fleeting-switch.py");

    private final EdgeSystem system;
    private final EdgeNode node;

    LostElectionIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @AfterEach
    void connect() {
        node.connect(true);
    }

    @Test
    void theSwitchIsServedAgain() {
        system.reset();
        final String datapath = node.ovs().vsctl("get", "bridge", Constants.BRIDGE, "datapath_id").replace("\"", "")
            .strip();
        node.connect(false);
        Await.until("its switch is given up", LIMIT, () -> !isConnected());
        Shell.PLAIN.entering(system.controller().namespace()).run("/usr/bin/python3", PROGRAM.toString(),
            ControllerUnderTest.ADDRESS, Integer.toString(ControllerUnderTest.OPENFLOW), datapath, TIMES);
        final long begun = System.nanoTime();
        node.connect(true);
        Await.until("its switch is connected", LIMIT, this::isConnected);
        Figures.tell("a switch whose election was lost, until it is served",
            Duration.ofNanos(System.nanoTime() - begun));
        system.awaitSync();
    }

    /** The switch is back before it is noticed, and waits for OpenFlowPlugin: for 20 s, if it is left to itself. */
    @Test
    void oneThatWaitsIsConnectedAgain() {
        system.reset();
        final String datapath = node.ovs().vsctl("get", "bridge", Constants.BRIDGE, "datapath_id").replace("\"", "")
            .strip();
        final String target = node.ovs().vsctl("get-controller", Constants.BRIDGE).strip();
        node.ovs().vsctl("set-controller", Constants.BRIDGE, "tcp:127.0.0.1:1");
        Await.until("its switch is given up", LIMIT, () -> !isConnected());
        Shell.PLAIN.entering(system.controller().namespace()).run("/usr/bin/python3", PROGRAM.toString(),
            ControllerUnderTest.ADDRESS, Integer.toString(ControllerUnderTest.OPENFLOW), datapath, FEW_TIMES);
        final long begun = System.nanoTime();
        node.ovs().vsctl("set-controller", Constants.BRIDGE, target);
        Await.until("its switch is connected", SERVED, this::isConnected);
        Figures.tell("a switch that waits after a lost election, until it is served",
            Duration.ofNanos(System.nanoTime() - begun));
        system.awaitSync();
    }

    /** Else readiness would say so after a minute. */
    @Test
    void electionsAnswerTheProbe() {
        Await.until("a probe without an answer would be told", ROUND, () -> system.restconf().call("status", "{}")
            .getAsJsonObject("controller").get("uptime-seconds").getAsLong() > ROUND.toSeconds());
        final JsonArray services = system.restconf().raw("GET", "/diagstatus", "", new byte[0]).json()
            .getAsJsonArray("statusSummary");
        assertThat(services).filteredOn(each -> each.getAsJsonObject().get("serviceName").getAsString()
            .equals("PENSTOCK")).singleElement().satisfies(engine ->
                assertThat(engine.getAsJsonObject().get("effectiveStatus").getAsString()).as("%s", engine)
                    .isEqualTo("OPERATIONAL"));
    }

    private boolean isConnected() {
        return system.verify(node).get("connected").getAsBoolean();
    }
}
