// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.util.List;

/** A network namespace. */
public record Namespace(String name) implements TestRun.Closing {
    static Namespace create(final String name) {
        Shell.PLAIN.run("ip", "netns", "add", name);
        final Namespace created = new Namespace(name);
        created.shell().run("ip", "link", "set", "lo", "up");
        return created;
    }

    static List<String> names() {
        return Shell.PLAIN.run("ip", "netns", "list").lines().map(line -> line.split(" ")[0]).toList();
    }

    static void delete(final String name) {
        Shell.PLAIN.run("ip", "netns", "delete", name);
    }

    /** Runs commands inside. */
    public Shell shell() {
        return Shell.PLAIN.inNamespace(name);
    }

    /**
     * A veth pair between this namespace and another, both ends up and without checksum offload: a userspace switch
     * passes on checksums that were left to hardware as they are, and TCP fails.
     */
    public void link(final String end, final Namespace other, final String otherEnd) {
        shell().run("ip", "link", "add", end, "type", "veth", "peer", "name", otherEnd, "netns", other.name);
        start(end);
        other.start(otherEnd);
    }

    private void start(final String device) {
        shell().run("ethtool", "-K", device, "tx", "off");
        // Otherwise captures and counters see what nobody sent.
        shell().run("sysctl", "-qw", "net.ipv6.conf." + device + ".disable_ipv6=1");
        shell().run("ip", "link", "set", device, "up");
    }

    @Override
    public void close() {
        delete(name);
    }
}
