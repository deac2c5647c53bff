// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

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
    private final Families families;

    /**
     * Families of packets that are treated alike.
     *
     * @param areAll whether the scope has packets of no other family, so that these need no match
     */
    record Families(List<IpFamily> list, boolean areAll) {
        Families {
            list = List.copyOf(list);
        }

        /** All packets of a scope. */
        static Families all(final List<IpFamily> list) {
            return new Families(list, true);
        }

        /** Plans a flow for the packets of all these families: one where that is possible. */
        void plan(final Supplier<FlowSink.Draft> begin, final Consumer<FlowSink.Draft> finish) {
            if (areAll) {
                finish.accept(begin.get());
            } else {
                planEach(begin, finish);
            }
        }

        /** Plans a flow for each family. */
        void planEach(final Supplier<FlowSink.Draft> begin, final Consumer<FlowSink.Draft> finish) {
            list.forEach(family ->
                finish.accept(family == IpFamily.IPV4 ? begin.get().ipv4() : begin.get().ipv6()));
        }
    }

    AclFlows(final FlowSink sink, final Acl acl, final Place place, final Families families) {
        this.sink = sink;
        this.acl = acl;
        this.place = place;
        this.families = families;
    }

    /** Plans them, and what becomes of packets that no entry is about. */
    void plan() {
        planEntries();
        families.plan(() -> sink.flow(place.table(), Priority.LOW, "ACL " + acl.name() + " permits no such packet"
            + place.note()).when(place.scope()), flow -> finish(flow, false));
    }

    /** Plans the entries alone. */
    void planEntries() {
        for (int index = 0; index < acl.entries().size(); index++) {
            final Acl.Entry entry = acl.entries().get(index);
            for (final IpFamily family : families.list()) {
                if (entry.match().isAbout(family)) {
                    planEntry(index, entry, family);
                }
            }
        }
    }

    private void planEntry(final int index, final Acl.Entry entry, final IpFamily family) {
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
