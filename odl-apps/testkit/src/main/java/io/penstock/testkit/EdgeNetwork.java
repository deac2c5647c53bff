// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.util.List;

/**
 * The surroundings of one node: customers' hosts on VLANs of its access ports, a transit router on its uplink, and a
 * server behind it.
 *
 * <p>Not every kernel has 802.1Q, so the customers' tags are made by a switch: a second, ordinary Open vSwitch with one
 * bridge for each access port, as customers would have it in their basements.
 */
public final class EdgeNetwork {
    /** The uplink of the node. */
    public static final String UPLINK = "up0";
    /** The transit router on the uplink, and the server behind it. */
    public static final String TRANSIT = "192.0.2.1";
    public static final String SERVER = "198.18.0.10";

    private static final String SERVER_SIDE_OF_TRANSIT = "198.18.0.1";

    private final TestRun run;
    private final Servers servers;
    private final Namespace nodeSpace;
    private final Namespace customerSpace;
    private final OvsSandbox customerSwitch;
    private final Host transit;
    private final Host server;
    private int hosts;
    private int remotes;

    /**
     * Lays the cables of a node in a new namespace.
     *
     * @param backboneAddress address of the node on the uplink, within 192.0.2.0/24
     * @param publicPrefixes prefixes of public addresses, which the transit router sends to the node
     */
    public EdgeNetwork(final TestRun run, final List<String> accessPorts, final String backboneAddress,
            final List<String> publicPrefixes) {
        this(run, run.namespace("node"), accessPorts, backboneAddress, publicPrefixes);
    }

    /** The same for a node whose namespace is there already. The cables end with their far ends. */
    public EdgeNetwork(final TestRun run, final Namespace nodeSpace, final List<String> accessPorts,
            final String backboneAddress, final List<String> publicPrefixes) {
        this.run = run;
        servers = run.closing(new Servers());
        this.nodeSpace = nodeSpace;
        customerSpace = run.namespace("lan");
        customerSwitch = OvsSandbox.userspace(run, customerSpace);
        for (final String port : accessPorts) {
            nodeSpace.link(port, customerSpace, port);
            customerSwitch.vsctl("add-br", bridge(port), "--", "set", "Bridge", bridge(port), "datapath_type=netdev",
                "--", "add-port", bridge(port), port);
        }
        final Namespace transitSpace = run.namespace("transit");
        final Namespace serverSpace = run.namespace("server");
        transitSpace.link(Host.DEVICE, nodeSpace, UPLINK);
        serverSpace.link(Host.DEVICE, transitSpace, "eth1");
        transit = new Host(run, servers, transitSpace, TRANSIT + "/24").router();
        transit.shell().run("ip", "address", "add", SERVER_SIDE_OF_TRANSIT + "/24", "dev", "eth1");
        publicPrefixes.forEach(prefix -> transit.route(prefix, backboneAddress));
        server = new Host(run, servers, serverSpace, SERVER + "/24").route("default", SERVER_SIDE_OF_TRANSIT);
    }

    private static String bridge(final String port) {
        return "br-" + port;
    }

    /** Where the node has to run: its devices are there. */
    public Namespace nodeSpace() {
        return nodeSpace;
    }

    /** Ends what serves on the hosts, so that the next test finds their ports free. */
    public void stopServers() {
        servers.close();
    }

    /** The router on the uplink. */
    public Host transit() {
        return transit;
    }

    /** A server in the rest of the world. */
    public Host server() {
        return server;
    }

    /** A host of another network behind the transit router, which has the gateway's address there. */
    public Host remote(final String addressWithLength, final String gateway) {
        remotes++;
        final Namespace space = run.namespace("remote" + remotes);
        final String cable = "remote" + remotes;
        space.link(Host.DEVICE, transit.namespace(), cable);
        transit.shell().run("ip", "address", "add",
            gateway + addressWithLength.substring(addressWithLength.indexOf('/')), "dev", cable);
        return new Host(run, servers, space, addressWithLength).route("default", gateway);
    }

    /** A host on a VLAN of an access port, with a default route. */
    public Host host(final String port, final int vlan, final String addressWithLength, final String gateway) {
        return new Host(run, servers, plugged(port, vlan), addressWithLength).route("default", gateway);
    }

    /** A host on a VLAN of an access port that has no address yet. */
    public Host host(final String port, final int vlan) {
        return new Host(run, servers, plugged(port, vlan));
    }

    private Namespace plugged(final String port, final int vlan) {
        hosts++;
        final Namespace space = run.namespace("h" + hosts);
        final String cable = "h" + hosts;
        space.link(Host.DEVICE, customerSpace, cable);
        customerSwitch.vsctl("add-port", bridge(port), cable, "tag=" + vlan);
        return space;
    }

    /** A host behind a router of a customer, which has the gateway's address on a cable of its own to it. */
    public Host behind(final Host router, final String addressWithLength, final String gateway) {
        final String length = addressWithLength.substring(addressWithLength.indexOf('/'));
        return new Host(run, servers, behind(router, gateway + length).namespace(), addressWithLength)
            .route("default", gateway);
    }

    /** The same without an address yet. The cable has at the router the name that {@link #cable} tells. */
    public Host behind(final Host router, final String gatewayWithLength) {
        hosts++;
        final Namespace space = run.namespace("h" + hosts);
        final String cable = "h" + hosts;
        space.link(Host.DEVICE, router.namespace(), cable);
        router.shell().run("ip", "address", "add", gatewayWithLength, "dev", cable);
        return new Host(run, servers, space);
    }

    /** The other end of a host's cable. */
    public static String cable(final Host host) {
        final String space = host.namespace().name();
        return space.substring(space.lastIndexOf('-') + 1);
    }

    /** Plugs a host into another VLAN or access port. */
    public void move(final Host host, final String port, final int vlan) {
        final String cable = cable(host);
        customerSwitch.vsctl("del-port", cable, "--", "add-port", bridge(port), cable, "tag=" + vlan);
    }

    /** Has the sockets of the switch of the customers hold packets for seconds. */
    public void widenSockets() {
        customerSwitch.widenSockets();
    }

    /** Has the switch in front of an access port forget where hosts are. */
    public void forgetMacAddresses(final String port) {
        customerSwitch.appctl("fdb/flush", bridge(port));
    }
}
