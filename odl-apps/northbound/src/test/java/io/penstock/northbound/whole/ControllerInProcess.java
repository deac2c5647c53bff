// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import io.penstock.configuration.ConfigurationStore;
import io.penstock.configuration.StoredConfiguration;
import io.penstock.engine.NodeAdmission;
import io.penstock.northbound.EngineInProcess;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.MdSalInProcess;
import io.penstock.southbound.openflow.PluginInProcess;
import io.penstock.testkit.TestRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.mdsal.dom.api.DOMDataTreeCommitCohort;
import org.opendaylight.mdsal.dom.api.DOMDataTreeCommitCohortRegistry;
import org.opendaylight.mdsal.dom.api.DOMDataTreeIdentifier;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/** A controller in this JVM, listening at free ports of the loopback interface. Its datastore outlives its engine. */
final class ControllerInProcess implements TestRun.Closing {
    /** Longer than all tests take: most of them change flows by hand to see what is said of it. */
    private static final Duration NO_REPAIRS = Duration.ofDays(1);

    private final MdSalInProcess mdsal = new MdSalInProcess();
    private final ConfigurationStore store =
        new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker());
    private final DataClient client = new DataClient(mdsal);
    private final int openFlowPort;
    private final Path journal;
    private final JumpingClock wall = new JumpingClock();
    private final PluginInProcess plugin;
    private final WatchedSouthbound watched;
    private final int ovsdbPort;
    private EngineInProcess engine;

    /** Starts one that has never been. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    ControllerInProcess(final Path directory) {
        journal = directory.resolve("nat-journal");
        try {
            plugin = new PluginInProcess(mdsal);
        } catch (Exception e) {
            throw new AssertionError("the OpenFlow plugin does not start", e);
        }
        openFlowPort = plugin.port();
        watched = new WatchedSouthbound(plugin.southbound());
        engine = new EngineInProcess(mdsal, store, watched.southbound(), openFlowPort, 0, journal, NO_REPAIRS,
            wall);
        ovsdbPort = engine.ovsdbPort();
    }

    DataClient client() {
        return client;
    }

    /** What the engine asks of switches. */
    WatchedSouthbound southbound() {
        return watched;
    }

    /** Its wall clock. */
    JumpingClock wall() {
        return wall;
    }

    /** All its models. */
    EffectiveModelContext model() {
        return mdsal.model();
    }

    /** What is stored, judged by itself; of what was handed out the last that the engine has stored. */
    StoredConfiguration stored() {
        return StoredConfiguration.read(mdsal.models(), mdsal.domBroker(), store.readAllocations());
    }

    /** Why what is stored is not carried out; empty when it is. */
    String readiness() {
        return store.readiness().reason();
    }

    /** What the datastore is to ask before it stores the things that were handed out. */
    Registration guardAllocations(final DOMDataTreeCommitCohort cohort) {
        return mdsal.domBroker().getExtensions().getInstance(DOMDataTreeCommitCohortRegistry.class)
            .registerCommitCohort(new DOMDataTreeIdentifier(LogicalDatastoreType.CONFIGURATION,
                YangInstanceIdentifier.of(Allocations.QNAME)), cohort);
    }

    /** The tables from which packets reach a service. */
    Set<Table> served() {
        return engine.served();
    }

    int openFlowPort() {
        return openFlowPort;
    }

    int ovsdbPort() {
        return ovsdbPort;
    }

    /** Stops the engine, as an update of it does; the plugin stays, and so do the switches' connections. */
    void stopEngine() {
        engine.close();
    }

    /** Starts an engine that takes over what the one before has stored. */
    void startEngine() {
        startEngine(NO_REPAIRS);
    }

    /** Starts such an engine that compares all flows of the switches in each round. */
    void startEngine(final Duration round) {
        engine = new EngineInProcess(mdsal, store, watched.southbound(), openFlowPort, ovsdbPort, journal, round,
            wall);
    }

    /** Starts such an engine that believes nodes that are configured with their address alone. */
    void startStrictEngine() {
        engine = new EngineInProcess(mdsal, store, watched.southbound(), NodeAdmission.CONFIGURED, openFlowPort,
            ovsdbPort, journal, NO_REPAIRS, wall);
    }

    @Override
    @SuppressWarnings("checkstyle:IllegalCatch")
    public void close() {
        engine.close();
        try {
            plugin.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        mdsal.close();
    }
}
