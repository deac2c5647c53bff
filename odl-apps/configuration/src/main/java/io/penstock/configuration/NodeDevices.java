// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.southbound.ovsdb.AnnouncedPort;
import io.penstock.southbound.ovsdb.NodeAnnouncement;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a node has said of itself that becomes arguments of its switch, which runs as root.
 *
 * @param vhostUserDirectory directory of the vhost-user sockets, empty if it has none
 * @param devargs DPDK's arguments by the name of the port
 */
record NodeDevices(String vhostUserDirectory, Map<String, String> devargs) {
    /** Those of a node that is not connected. */
    static final NodeDevices NONE = new NodeDevices("", Map.of());

    static NodeDevices of(final NodeAnnouncement announcement) {
        return new NodeDevices(announcement.vhostDirectory(), announcement.ports().stream()
            .collect(Collectors.toMap(AnnouncedPort::name, AnnouncedPort::devargs, (first, second) -> second)));
    }
}
