// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Optional;

/** The flows of one list in one place. */
final class AclFlows {
    /**
     * Where a list decides.
     *
     * @param scope what its packets have in common; no two places of a table have packets in common
     * @param owner tells its conjunctions from those of others in the table, 0..0x7fff
     * @param note ends the labels
     * @param permitted where packets go that an entry permits
     * @param denied where the others go; they are dropped when absent
     */
    record Place(Table table, List<FieldMatch> scope, int owner, String note, Table permitted,
            Optional<Table> denied) { }

    private final FlowSink sink;
    private final Acl acl;
    private final Place place;
    private final List<Acl.Family> families;

    AclFlows(final FlowSink sink, final Acl acl, final Place place, final List<Acl.Family> families) {
        this.sink = sink;
        this.acl = acl;
        this.place = place;
        this.families = families;
    }

    /** Plans them, and what becomes of packets that no entry is about. */
    void plan() {
        planEntries();
        finish(sink.flow(place.table(), Priority.LOW, "ACL " + acl.name() + " permits no such packet" + place.note())
            .when(place.scope()), false);
    }

    /** Plans the entries alone. */
    void planEntries() {
        for (int index = 0; index < acl.entries().size(); index++) {
            final Acl.Entry entry = acl.entries().get(index);
            for (final Acl.Family family : families) {
                if (entry.isAbout(family)) {
                    planEntry(index, entry, family);
                }
            }
        }
    }

    private void planEntry(final int index, final Acl.Entry entry, final Acl.Family family) {
        EntryFlows.plan(entry, family, EntryFlows.id(place.owner(), family, index), () -> flow(index, entry),
            flow -> finish(flow, entry.permit()));
    }

    private FlowSink.Draft flow(final int index, final Acl.Entry entry) {
        return sink.flow(place.table(), Priority.aclEntry(index), "ACL " + acl.name() + " entry "
            + entry.name() + (entry.permit() ? " permit" : " drop") + place.note()).when(place.scope());
    }

    private void finish(final FlowSink.Draft flow, final boolean permit) {
        if (permit) {
            flow.go(place.permitted());
        } else if (place.denied().isPresent()) {
            flow.go(place.denied().orElseThrow());
        } else {
            flow.drop();
        }
    }
}
