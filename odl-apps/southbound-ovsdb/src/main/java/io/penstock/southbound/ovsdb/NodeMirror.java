// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The rows of one peer that are followed, and what it announces by them. For the thread of the peer. */
final class NodeMirror {
    private final String address;
    private final Admission admission;
    private final OnceLog troubles;
    private final Map<String, Map<Ref, TableRow>> rows = new HashMap<>();
    private long bytes;

    /**
     * Without rows.
     *
     * @param address of the peer, for whose memory the admission has a limit
     */
    NodeMirror(final String address, final Admission admission, final OnceLog troubles) {
        this.address = requireNonNull(address);
        this.admission = requireNonNull(admission);
        this.troubles = requireNonNull(troubles);
    }

    /** Takes the first rows or an update; false if they are more than the peers of an address may have. */
    boolean take(final RowCodec codec, final JsonNode updates) {
        final long more = codec.mirror(rows, updates);
        bytes += more;
        return admission.keep(address, more);
    }

    /** Gives the memory back, when the peer is gone. */
    void release() {
        admission.keep(address, -bytes);
    }

    DatabaseView view() {
        return new DatabaseView(rows);
    }

    /**
     * What the node announces.
     *
     * @throws OvsdbException when it announces nothing, or nothing that can be read
     */
    NodeAnnouncement announcement(final String bridgeName) {
        final TableRow root = view().root().orElseThrow(() -> new OvsdbException("table Open_vSwitch is empty"));
        final Optional<TableRow> bridge = view().named(OvsTables.BRIDGE, bridgeName);
        return AnnouncementReader.read(root).with(functions(bridge), FloodsReader.read(bridge),
            SpokenProtocol.of(root, bridge));
    }

    /** What may be the reason why the announcement of a node cannot be read. */
    String otherRelease() {
        return view().root().filter(AnnouncementReader::namesANode)
            .flatMap(root -> SpokenProtocol.of(root, Optional.empty()).difference()).map(text -> "; " + text)
            .orElse("");
    }

    /** What makes no sense is as if it were not there: the node can do without. */
    private Optional<NodeFunctions> functions(final Optional<TableRow> bridge) {
        try {
            return FunctionsReader.read(bridge);
        } catch (OvsdbException e) {
            troubles.warn(address, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }
}
