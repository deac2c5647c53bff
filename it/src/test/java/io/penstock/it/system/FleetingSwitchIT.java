// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.Await;
import io.penstock.testkit.CertificateAuthority;
import io.penstock.testkit.Shell;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A switch that was gone while OpenFlowPlugin still made it ready is served when it is back. */
@Tag("hostile")
@OnSystem
@Order(OnSystem.DESTRUCTIVE)
class FleetingSwitchIT {
    /** Far more than it takes; the database has to connect, too. */
    private static final Duration LIMIT = Duration.ofMinutes(2);
    /** Two seconds at most until it has connected again. */
    private static final Duration SERVED = Duration.ofSeconds(10);
    private static final String TIMES = "20";
    private static final String FEW_TIMES = "4";
    private static final Path PROGRAM =
        ControllerUnderTest.ROOT.resolve("it/src/test/resources/fleeting-switch.py");

    private final EdgeSystem system;
    private final EdgeNode node;

    FleetingSwitchIT(final EdgeSystem system) {
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
        connectFleetingly(datapath, TIMES);
        final long begun = System.nanoTime();
        node.connect(true);
        Await.until("its switch is connected", LIMIT, this::isConnected);
        Figures.tell("a switch that was gone at once, until it is served",
            Duration.ofNanos(System.nanoTime() - begun));
        system.awaitSync();
    }

    /** The switch is back before OpenFlowPlugin has ended what it had begun for it. */
    @Test
    @Tag("deep")
    @Tag("restart")
    void oneThatIsBackAtOnceIsServed() {
        system.reset();
        final String datapath = node.ovs().vsctl("get", "bridge", Constants.BRIDGE, "datapath_id").replace("\"", "")
            .strip();
        final String target = node.ovs().vsctl("get-controller", Constants.BRIDGE).strip();
        node.ovs().vsctl("set-controller", Constants.BRIDGE, "tcp:127.0.0.1:1");
        Await.until("its switch is given up", LIMIT, () -> !isConnected());
        connectFleetingly(datapath, FEW_TIMES);
        final long begun = System.nanoTime();
        node.ovs().vsctl("set-controller", Constants.BRIDGE, target);
        Await.until("its switch is connected", SERVED, this::isConnected);
        Figures.tell("a switch that is back at once, until it is served",
            Duration.ofNanos(System.nanoTime() - begun));
        system.awaitSync();
    }

    private void connectFleetingly(final String datapath, final String times) {
        final CertificateAuthority authority = system.controller().authority();
        Shell.PLAIN.entering(system.controller().namespace()).run("/usr/bin/python3", PROGRAM.toString(),
            ControllerUnderTest.ADDRESS, Integer.toString(ControllerUnderTest.OPENFLOW), datapath, times,
            authority.ofNode(node.name()).toString());
    }

    private boolean isConnected() {
        return system.verify(node).get("connected").getAsBoolean();
    }
}
