// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static io.penstock.southbound.ovsdb.NodeKeys.NODE;
import static io.penstock.southbound.ovsdb.NodeKeys.PORTS;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a node's announcement from its row of table {@code Open_vSwitch}. Stateless. */
final class AnnouncementReader {
    /** What a daemon built without DPDK calls its DPDK version. */
    private static final String NO_DPDK = "none";
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Pattern NODE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
    private static final Set<String> ROLES = Set.of(NodeKeys.ROLE_ACCESS, NodeKeys.ROLE_UPLINK,
        NodeKeys.ROLE_SERVICE);
    private static final Set<String> TYPES = Set.of(NodeKeys.TYPE_SYSTEM, NodeKeys.TYPE_DPDK);
    private static final String RECEIVE_QUEUES = "receive-queues";
    private static final String QUEUE_CORES = "queue-cores";
    private static final int MOST_QUEUES = 64;
    private static final int MOST_CORES = 65535;
    private static final int MOST_QUOTED = 200;

    private AnnouncementReader() {
        // Stateless.
    }

    /** Reads the row, or throws an {@link OvsdbException} that tells the operator what is missing or wrong. */
    static NodeAnnouncement read(final TableRow row) {
        final Map<?, ?> ids = row.map("external_ids");
        if (!(ids.get(NODE) instanceof String name)) {
            throw new OvsdbException("external_ids has no " + NODE);
        }
        if (!NODE_NAME.matcher(name).matches()) {
            throw new OvsdbException(NODE + " is not a node name: \"" + PeerText.cut(name, MOST_QUOTED) + "\"");
        }
        return new NodeAnnouncement(name, ports(ids.get(PORTS)), text(ids.get(NodeKeys.VHOST_DIR)),
            SwitchFaults.version(text(row.optional("ovs_version").orElse(null))),
            text(row.optional("dpdk_version").filter(version -> !NO_DPDK.equals(version)).orElse(null)),
            row.flag("dpdk_initialized"), Optional.empty(), Set.of(), acceptedFaults(ids),
            SpokenProtocol.of(row, Optional.empty()));
    }

    /** Whether the row has the name of a node; of the rest nothing is looked at. */
    static boolean namesANode(final TableRow row) {
        return row.map(OvsTables.EXTERNAL_IDS).get(NODE) instanceof String name && NODE_NAME.matcher(name).matches();
    }

    /** Names that are none are left out, so that a peer's text is nowhere shown. */
    private static Set<String> acceptedFaults(final Map<?, ?> ids) {
        final Set<String> names = new TreeSet<>(List.of(text(ids.get(NodeKeys.ACCEPTED_FAULTS)).split(",")));
        names.retainAll(SwitchFaults.names());
        return names;
    }

    private static String text(final @Nullable Object value) {
        return value instanceof String text ? text : "";
    }

    private static List<AnnouncedPort> ports(final @Nullable Object value) {
        final List<AnnouncedPort> result = new ArrayList<>();
        if (value instanceof String text && !text.isBlank()) {
            final JsonNode list;
            try {
                list = MAPPER.readTree(text);
            } catch (JsonProcessingException e) {
                throw new OvsdbException(PORTS + " is not JSON: " + e.getOriginalMessage(), e);
            }
            if (!list.isArray()) {
                throw new OvsdbException(PORTS + " is not a list");
            }
            for (final JsonNode port : list) {
                result.add(new AnnouncedPort(member(port, "name", null), member(port, "role", ROLES),
                    member(port, "type", TYPES), port.path("devargs").asText(""), queues(port), queueCores(port)));
            }
        }
        return result;
    }

    private static int queues(final JsonNode port) {
        final JsonNode queues = port.path(RECEIVE_QUEUES);
        return queues.isMissingNode() ? 1 : number(port, RECEIVE_QUEUES, queues, 1, MOST_QUEUES);
    }

    private static List<Integer> queueCores(final JsonNode port) {
        final List<Integer> cores = new ArrayList<>();
        final JsonNode list = port.path(QUEUE_CORES);
        list.forEach(core -> cores.add(number(port, QUEUE_CORES, core, 0, MOST_CORES)));
        if (!list.isMissingNode() && !list.isArray() || cores.size() > queues(port)) {
            throw bad(QUEUE_CORES, port);
        }
        return cores;
    }

    private static int number(final JsonNode port, final String name, final JsonNode value, final int least,
            final int most) {
        if (!value.isInt() || value.asInt() < least || value.asInt() > most) {
            throw bad(name, port);
        }
        return value.asInt();
    }

    private static String member(final JsonNode port, final String name, final @Nullable Set<String> allowed) {
        final String value = port.path(name).asText("");
        if (value.isEmpty() || allowed != null && !allowed.contains(value)) {
            throw bad(name, port);
        }
        return value;
    }

    private static OvsdbException bad(final String name, final JsonNode port) {
        return new OvsdbException(PORTS + ": bad " + name + " in " + PeerText.cut(port.toString(), MOST_QUOTED));
    }
}
