// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

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
    /** Nine seconds until it is noticed, and 20 s of OpenFlowPlugin's for a connection that waits in vain. */
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String TIMES = "20";
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

    private boolean isConnected() {
        return system.verify(node).get("connected").getAsBoolean();
    }
}
