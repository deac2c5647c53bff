// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import io.penstock.base.disk.DiskSpace;
import io.penstock.base.disk.SegmentReserve;
import io.penstock.configuration.ConfigurationStore;
import io.penstock.engine.AllocationWriter;
import io.penstock.engine.Engine;
import io.penstock.engine.Environment;
import io.penstock.engine.JournalKeeper;
import io.penstock.engine.NodeAdmission;
import io.penstock.engine.Southbounds;
import io.penstock.engine.SteadyClock;
import io.penstock.engine.node.BridgeTranslator;
import io.penstock.events.EventSink;
import io.penstock.journal.MemberJournal;
import io.penstock.northbound.rest.OperationsRpcs;
import io.penstock.northbound.rest.RpcThreads;
import io.penstock.northbound.rest.StateStore;
import io.penstock.northbound.stream.Notifications;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.MdSalInProcess;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.ovsdb.OvsdbServer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.opendaylight.yangtools.concepts.Registration;

/** The engine and its RPCs as {@link Controller} puts them together, without OSGi and its settings. */
public final class EngineInProcess implements AutoCloseable {
    private static final String ADDRESS = "127.0.0.1";

    private final OvsdbServer ovsdb = new OvsdbServer();
    private final RpcThreads rpcThreads = new RpcThreads();
    private final JournalKeeper keeper;
    private final Engine engine;
    private final Registration rpcs;

    /**
     * Starts it.
     *
     * @param store outlives the engine
     * @param openFlowPort where switches reach the southbound
     * @param ovsdbPort where to take databases; 0 for any free port
     * @param journal directory of the journal of public addresses
     * @param round in which all flows of a switch are compared with its plan
     * @param wall the wall clock
     */
    public EngineInProcess(final MdSalInProcess mdsal, final ConfigurationStore store,
            final OpenFlowSouthbound southbound, final int openFlowPort, final int ovsdbPort, final Path journal,
            final Duration round, final Clock wall) {
        this(mdsal, store, southbound, NodeAdmission.ANY, openFlowPort, ovsdbPort, journal, round, wall);
    }

    /**
     * The same.
     *
     * @param admission which nodes are believed
     */
    public EngineInProcess(final MdSalInProcess mdsal, final ConfigurationStore store,
            final OpenFlowSouthbound southbound, final NodeAdmission admission, final int openFlowPort,
            final int ovsdbPort, final Path journal, final Duration round, final Clock wall) {
        keeper = new JournalKeeper(new MemberJournal(journal, wall, false), store, List::of);
        engine = new Engine(store, new AllocationWriter(store, keeper, new DiskSpace(journal),
                new SegmentReserve(journal.resolve("segments")), changes -> { }),
            new Southbounds(southbound, ovsdb, new BridgeTranslator(() ->
                Set.of("tcp:" + ADDRESS + ":" + openFlowPort)), admission, false),
            Environment.of(SteadyClock.open(journal.resolve("steady-clock"), wall)),
            new StateStore(mdsal.broker()), EventSink.all(List.of(EventSink.log(),
                new Notifications(mdsal.models()::getGlobalContext, mdsal.domPublisher(), wall))), round);
        final EngineOperations operations = new EngineOperations(engine, "http://localhost", "1");
        ovsdb.start(ADDRESS, ovsdbPort);
        engine.start("member-1");
        rpcs = new OperationsRpcs(operations, rpcThreads).register(mdsal.rpcProvider());
    }

    /** Where databases reach it. */
    public int ovsdbPort() {
        return ovsdb.port();
    }

    /** The tables from which packets reach a service. */
    public Set<Table> served() {
        return engine.served();
    }

    @Override
    public void close() {
        rpcs.close();
        rpcThreads.close();
        engine.close();
        ovsdb.close();
        keeper.close();
    }
}
