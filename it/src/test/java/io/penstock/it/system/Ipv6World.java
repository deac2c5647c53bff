// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.Await;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The world of a node with IPv6: its transit router and server, the backbone's half, and hosts that begin with it. */
final class Ipv6World {
    /** The server beyond the transit router. */
    static final String SERVER = "2001:db8:aaaa::10";
    /** The transit router on the node's link, and the node there. */
    static final String TRANSIT = "2001:db8:ffff::1";
    static final String BACKBONE = "2001:db8:ffff::2";
    /** Every gateway on its link. */
    static final String ROUTER = Constants.GATEWAY_LINK_LOCAL.toString();

    static final String TRANSIT_FAR = "2001:db8:aaaa::1";
    private static final Duration PATIENCE = Await.PATIENCE;

    private Ipv6World() {
        // Only functions.
    }

    /** Gives the transit router and the server IPv6; what is of 2001:db8::/36 is behind the node. */
    static void start(final EdgeNode node) {
        final Host transit = node.network().transit();
        enable(transit, "eth0", "eth1");
        transit.shell().run("sysctl", "-qw", "net.ipv6.conf.all.forwarding=1");
        transit.shell().run("ip", "-6", "address", "replace", TRANSIT + "/64", "dev", "eth0", "nodad");
        transit.shell().run("ip", "-6", "address", "replace", TRANSIT_FAR + "/64", "dev", "eth1", "nodad");
        transit.shell().run("ip", "-6", "route", "replace", "2001:db8::/36", "via", BACKBONE);
        final Host server = node.network().server();
        enable(server, Host.DEVICE);
        server.shell().run("ip", "-6", "address", "replace", SERVER + "/64", "dev", Host.DEVICE, "nodad");
        server.shell().run("ip", "-6", "route", "replace", "default", "via", TRANSIT_FAR);
    }

    /** Configures the backbone's half, with a route to a prefix. */
    static void backbone(final EdgeSystem system, final EdgeNode node, final String prefix) {
        system.restconf().put(Intent.NETWORK + "/backbone/ipv6", """
            {'penstock:ipv6': {'interface': [{'node': '%s', 'port': 'up0', 'prefix': '2001:db8:ffff::/64',
             'address': '%s'}], 'route': [{'prefix': '%s', 'next-hop': '%s'}]}}"""
            .formatted(node.name(), BACKBONE, prefix, TRANSIT));
    }

    /** Has devices of a host begin with IPv6. */
    static void enable(final Host host, final String... devices) {
        for (final String device : devices) {
            disabled(host, device, 0);
        }
    }

    /** As it was before: the way beyond the transit router may have been made narrow, and the host knows of IPv6. */
    static void stop(final EdgeNode node, final Host host) {
        disable(host);
        node.network().transit().shell().run("ip", "link", "set", "dev", "eth1", "mtu", "1500");
    }

    /** Has a host forget all that it knows of IPv6. */
    static void disable(final Host host) {
        disabled(host, Host.DEVICE, 1);
    }

    private static void disabled(final Host host, final String device, final int disabled) {
        host.shell().run("sysctl", "-qw", "net.ipv6.conf." + device + ".disable_ipv6=" + disabled);
    }

    /** The address that the host has made of a prefix, once nobody else turned out to have it. */
    static String address(final Host host, final String prefix) {
        final String text = Await.until(host + " has an address of " + prefix, PATIENCE, () -> host.shell().run("ip",
            "-6", "-o", "address", "show", "dev", Host.DEVICE, "scope", "global", "-tentative"), shown ->
                shown.contains(prefix));
        return text.lines().filter(line -> line.contains(prefix)).findFirst().orElseThrow()
            .replaceAll(".*inet6 ([0-9a-f:]+)/.*", "$1");
    }

    /** What a program in Python prints. */
    static String python(final Host host, final String program, final String... arguments) {
        final List<String> command = new ArrayList<>(List.of("/usr/bin/python3", "-c", program));
        command.addAll(List.of(arguments));
        return host.shell().run(PATIENCE, command.toArray(String[]::new));
    }
}
