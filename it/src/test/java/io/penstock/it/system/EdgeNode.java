// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import io.penstock.testkit.DpdkNode;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.FlowLoader;
import io.penstock.testkit.Host;
import io.penstock.testkit.NodeFunctions;
import io.penstock.testkit.OpenVrfs;
import io.penstock.testkit.OvsSandbox;
import io.penstock.testkit.Shell;
import io.penstock.testkit.TestRun;
import io.penstock.testkit.WideSockets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One node of the system with hosts around it. Its transit network is its own. */
final class EdgeNode {
    static final String ACCESS = Documents.ACCESS;
    static final String BACKBONE_ADDRESS = Documents.BACKBONE_ADDRESS;

    private static final double MILLIS = 1000;
    /** Beginnings of cookies of what the switch has learned. */
    private static final List<String> LEARNED = Stream.of(Cookie.Kind.LEARNED, Cookie.Kind.SESSION)
        .map(kind -> "cookie=0x%x".formatted(Cookie.of(kind, 0) >>> Integer.SIZE)).toList();
    private static final Pattern DROP = Pattern.compile("n_packets=([0-9]+),.* actions=drop");

    private static final Pattern TIMEOUT = Pattern.compile("([a-z0-9_]+)=([0-9]+)");

    private final Map<Integer, Host> hosts = new HashMap<>();
    private final TestRun run;
    private final EdgeNetwork network;
    private final DpdkNode node;
    private final NodeFunctions functions;

    /**
     * Starts a node.
     *
     * @param certificates of this node, with which it connects
     */
    EdgeNode(final TestRun run, final Shell controllerSide, final Path certificates, final String publicPrefix) {
        this.run = run;
        network = new EdgeNetwork(run, List.of(ACCESS), BACKBONE_ADDRESS, List.of(publicPrefix));
        node = DpdkNode.start(run, ControllerUnderTest.ROOT, controllerSide, network.nodeSpace(), List.of(ACCESS),
            List.of(EdgeNetwork.UPLINK), settings(certificates), "dns: {}");
        functions = new NodeFunctions(run, ControllerUnderTest.ROOT, node);
    }

    private static String settings(final Path certificates) {
        return "ovsdb-port: %d, tls: {certificate: %s, key: %s, ca: %s}".formatted(ControllerUnderTest.OVSDB,
            certificates.resolve("certificate.pem"), certificates.resolve("key.pem"), certificates.resolve("ca.pem"));
    }

    String name() {
        return node.name();
    }

    EdgeNetwork network() {
        return network;
    }

    OvsSandbox ovs() {
        return node.ovs();
    }

    NodeFunctions functions() {
        return functions;
    }

    /**
     * The host of a customer on a VLAN, at 10.0.0.5 in 10.0.0.0/24, that asks for MAC addresses without much patience.
     * There is one for all tests: a second would have the same address.
     */
    Host host(final int vlan) {
        return hosts.computeIfAbsent(vlan, this::newHost);
    }

    private Host newHost(final int vlan) {
        final Host host = network.host(ACCESS, vlan, "10.0.0.5/24", Intent.GATEWAY);
        // The kernel asks once a second: too coarse to measure by.
        host.shell().run("sysctl", "-qw", "net.ipv4.neigh." + Host.DEVICE + ".retrans_time_ms=50");
        return host;
    }

    /** Flows the switch has, one a line, without counters; what it has learned is left out. */
    List<String> flows() {
        return allFlows().stream().filter(line -> LEARNED.stream().noneMatch(line::contains)).toList();
    }

    /** The same without those of one VRF. */
    List<String> flowsExceptOf(final int vrf) {
        final String cookie = cookieOf(vrf);
        return flows().stream().filter(line -> !line.contains(cookie + " ")).toList();
    }

    /** The same of one VRF alone. */
    List<String> plannedFlowsOf(final int vrf) {
        final String cookie = cookieOf(vrf);
        return flows().stream().filter(line -> line.contains(cookie + " ")).toList();
    }

    /**
     * How long the newest flow that was planned has been there; a flow that is sent once more begins anew. Flows of one
     * VRF do not count.
     */
    Duration youngestFlowExceptOf(final int vrf) {
        final String cookie = cookieOf(vrf);
        return youngestFlow(line -> !line.contains(cookie + ","));
    }

    /** The same of the flows of one VRF alone. */
    Duration youngestFlowOf(final int vrf) {
        final String cookie = cookieOf(vrf);
        return youngestFlow(line -> line.contains(cookie + ","));
    }

    private Duration youngestFlow(final Predicate<String> isMeant) {
        final double seconds = ovs().ofctl("--no-names", "dump-flows", Constants.BRIDGE).lines()
            .filter(line -> line.contains("cookie=") && isMeant.test(line)
                && LEARNED.stream().noneMatch(line::contains))
            .mapToDouble(line -> Double.parseDouble(line.replaceAll(".* duration=([0-9.]+)s,.*", "$1")))
            .min().orElseThrow();
        return Duration.ofMillis((long) (seconds * MILLIS));
    }

    private static String cookieOf(final int vrf) {
        return "cookie=0x%x".formatted(Cookie.of(Cookie.Kind.TENANT, vrf));
    }

    /** Waits until packets meet the flows as they are now: forwarding threads use what they know a little longer. */
    void settle() {
        ovs().appctl("revalidator/wait");
    }

    /** Gives all VRFs sessions, whatever the agent thinks of their packets. */
    void openSessions() {
        OpenVrfs.openAll(ovs());
    }

    /** Waits for a session that translates to, or from, an address; what it should translate is sent all the time. */
    void awaitSession(final String address) {
        Await.until("a session of " + address, () -> {
            openSessions();
            return hasSession(address);
        });
    }

    /** Whether a session translates to, or from, an address. */
    boolean hasSession(final String address) {
        return ovs().ofctl("--no-names", "dump-flows", Constants.BRIDGE, "table=" + Table.NAT_SESSIONS.number())
            .contains("=" + address);
    }

    /** Flows a VRF has, learned ones too. */
    List<String> flowsOf(final int vrf) {
        final List<String> cookies = Stream.of(Cookie.Kind.TENANT, Cookie.Kind.LEARNED, Cookie.Kind.SESSION)
            .map(kind -> "cookie=0x%x ".formatted(Cookie.of(kind, vrf))).toList();
        return allFlows().stream().filter(line -> cookies.stream().anyMatch(line::contains)).toList();
    }

    private List<String> allFlows() {
        return new FlowLoader(ovs(), Constants.BRIDGE).dump();
    }

    /** Packets that flows of a VRF in a table have dropped, as the switch itself says; 0 when there is no such flow. */
    long drops(final Table table, final int vrf) {
        return DROP.matcher(ovs().ofctl("--no-names", "dump-flows", Constants.BRIDGE,
                "cookie=0x%x/-1,table=%d".formatted(Cookie.of(Cookie.Kind.TENANT, vrf), table.number())))
            .results().mapToLong(match -> Long.parseLong(match.group(1))).sum();
    }

    /** Connections the switch tracks in a zone. */
    List<String> connections(final int zone) {
        return ovs().appctl("dpctl/dump-conntrack", "netdev@ovs-netdev", "zone=" + zone).lines()
            .filter(line -> !line.isBlank()).toList();
    }

    /** Conntrack zones with timeouts in the database. */
    List<Integer> zones() {
        return ovs().vsctl("list-zone-tp", "netdev").lines()
            .map(line -> Integer.parseInt(line.replaceAll("Zone:([0-9]+),.*", "$1"))).toList();
    }

    /** Seconds by the names of timeouts that the database has for a zone. */
    Map<String, Integer> timeouts(final int zone) {
        return ovs().vsctl("list-zone-tp", "netdev").lines().filter(line -> line.startsWith("Zone:" + zone + ","))
            .flatMap(line -> TIMEOUT.matcher(line).results())
            .collect(Collectors.toMap(match -> match.group(1), match -> Integer.valueOf(match.group(2))));
    }

    /** kill -9 of ovs-vswitchd. */
    void killSwitch() {
        kill("ovs-vswitchd");
    }

    /** kill -9 of ovsdb-server. */
    void killDatabase() {
        kill("ovsdb-server");
    }

    /** Has the operator start what does not run. */
    void up() {
        node.up();
    }

    /** What others have written at a port of the switch; empty when there is no such port. */
    String externalIds(final String port) {
        return ovs().vsctl("--if-exists", "get", "Interface", port, "external_ids");
    }

    /**
     * Ends the agent of functions; they run on. The node does not tell any more what it has: tests without that agent
     * play a node with another catalogue.
     */
    void stopFunctionsAgent() {
        functions.stopAgent();
        ovs().vsctl("remove", "Bridge", Constants.BRIDGE, "external_ids", NodeKeys.NODE_FUNCTIONS);
    }

    /** Cuts or mends the management network. */
    void connect(final boolean connected) {
        network.nodeSpace().shell().run("ip", "link", "set", "mgmt0", connected ? "up" : "down");
        if (connected) {
            // The kernel drops the route of a device that goes down.
            network.nodeSpace().shell().run("ip", "route", "replace", ControllerUnderTest.ADDRESS + "/32", "dev",
                "mgmt0");
        }
    }

    /** kill -9 of a function's process. */
    void killFunction(final String function) {
        kill("functions/" + function + "/testpmd");
    }

    /** kill -9 of a function that is a virtual machine. */
    void killGuest(final String function) {
        kill("functions/" + function + "/qemu");
    }

    /** Stops a function where it is, with its ports up, or lets it go on. */
    void freezeFunction(final String function, final boolean frozen) {
        freeze("functions/" + function + "/testpmd", frozen);
    }

    /** Has a function work for a tenth of a second and sleep for four, on and on, until the answer is closed. */
    TestRun.Closing slowFunction(final String function) {
        final String pid = Long.toString(process("functions/" + function + "/testpmd").pid());
        final Process slow = Shell.PLAIN.start(file("slow-" + System.nanoTime()), "sh", "-c",
            "while kill -STOP " + pid + " && sleep 0.4 && kill -CONT " + pid + "; do sleep 0.1; done");
        return () -> {
            Shell.stop(slow);
            Shell.PLAIN.run("kill", "-CONT", pid);
        };
    }

    private void freeze(final String name, final boolean frozen) {
        Shell.PLAIN.run("kill", frozen ? "-STOP" : "-CONT", Long.toString(process(name).pid()));
    }

    /** A process of the node by the name of its file. There has to be one. */
    ProcessHandle process(final String name) {
        final Path file = ovs().directory().resolve(name + ".process");
        return ProcessHandle.of(Long.parseLong(read(file).replaceAll("(?s)^[^0-9]*([0-9]+).*", "$1"))).orElseThrow();
    }

    private void kill(final String process) {
        final ProcessHandle handle = process(process);
        final Path commandLine = Path.of("/proc", Long.toString(handle.pid()), "cmdline");
        handle.destroyForcibly();
        // A dead process has no command line. It has a process id until somebody looks after it, which may take long.
        Await.until(process + " is dead", () -> !Files.exists(commandLine) || read(commandLine).isEmpty());
    }

    private static String read(final Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Has the sockets of the switch, and of the one between it and its hosts, hold packets for seconds. */
    void widenSockets() {
        WideSockets.of(process("ovs-vswitchd"));
        network.widenSockets();
    }

    /** Runs a command beside the resolvers of the node. */
    String inResolvers(final String... command) {
        return Shell.PLAIN.inNamespace(resolversSpace()).run(command);
    }

    /** Process ids of the resolvers of the node. */
    Set<String> resolvers() {
        return Shell.PLAIN.run("ip", "netns", "pids", resolversSpace()).lines().collect(Collectors.toSet());
    }

    private String resolversSpace() {
        return network.nodeSpace().name() + "-dns";
    }

    /** Where files of tests go. */
    Path file(final String name) {
        return run.directory().resolve(name);
    }
}
