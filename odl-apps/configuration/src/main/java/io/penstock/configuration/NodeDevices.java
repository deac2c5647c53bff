// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.southbound.ovsdb.AnnouncedPort;
import io.penstock.southbound.ovsdb.NodeAnnouncement;
import io.penstock.southbound.ovsdb.SwitchFaults;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a node has said of itself that no client may change: arguments of its switch, which runs as root, and what the
 * switch cannot do.
 *
 * @param vhostUserDirectory directory of the vhost-user sockets, empty if it has none
 * @param devargs DPDK's arguments by the name of the port
 * @param ftpHelper whether the switch may look into packets of FTP
 */
record NodeDevices(String vhostUserDirectory, Map<String, String> devargs, boolean ftpHelper) {
    /** Those of a node that is not connected. */
    static final NodeDevices NONE = new NodeDevices("", Map.of(), true);

    static NodeDevices of(final NodeAnnouncement announcement) {
        return new NodeDevices(announcement.vhostDirectory(), announcement.ports().stream()
            .collect(Collectors.toMap(AnnouncedPort::name, AnnouncedPort::devargs, (first, second) -> second)),
            SwitchFaults.permitFtp(announcement));
    }
}
