// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.ConfigurationStore;
import io.penstock.configuration.JournalLines;
import io.penstock.configuration.Mastership;
import io.penstock.engine.JournalKeeper;
import io.penstock.journal.Assignment;
import io.penstock.journal.Batch;
import io.penstock.journal.JournalSource;
import io.penstock.journal.MemberJournal;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.southbound.openflow.MdSalInProcess;
import io.penstock.testkit.Await;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Journals of members that share a datastore: what the master stores, each has. */
@Tag("safety")
class JournalKeeperIT {
    private static final Allocations NONE = Allocations.none();

    @TempDir
    private Path directory;

    private MemberJournal journal(final String member) {
        return new MemberJournal(directory.resolve(member), Clock.systemUTC(), true);
    }

    private static Set<Assignment> sources(final int first, final int count) {
        final Set<Assignment> all = new LinkedHashSet<>();
        IntStream.range(first, first + count).forEach(each -> all.add(new Assignment("t" + each, each + 1,
            Assignment.SOURCE, Optional.empty(), Prefix.host(new Ipv4(0xcb007100L + each)), Optional.empty(),
            Optional.empty())));
        return all;
    }

    private static void write(final ConfigurationStore store, final Mastership mastership, final MemberJournal master,
            final Set<Assignment> wanted) {
        final Batch batch = master.plan(Optional.empty(), wanted);
        store.writeAllocations(mastership, NONE, NONE, Optional.of(Set.of()),
            new JournalLines(batch.number(), batch.texts()));
        assertThat(master.write(batch)).isNotEmpty();
    }

    private static void same(final JournalKeeper keeper, final MemberJournal master) {
        Await.until("the same last line", () -> keeper.journal().end().toString().equals(master.end().toString()));
    }

    @Test
    void allMembersHaveTheSameLines() {
        try (MdSalInProcess mdsal = new MdSalInProcess();
                ConfigurationStore store = new ConfigurationStore(mdsal.models(), mdsal.domBroker(), mdsal.broker());
                MemberJournal master = journal("member-1");
                JournalKeeper second = new JournalKeeper(journal("member-2"), store, List::of)) {
            final Mastership mastership = store.claim("member-1", Instant.ofEpochSecond(1));
            for (int step = 0; step < 20; step++) {
                write(store, mastership, master, sources(step, 3));
            }
            same(second, master);
            assertThat(store.journal()).hasSize(20);
            // More than the datastore keeps, while the third member is not there.
            write(store, mastership, master, sources(100, 490));
            write(store, mastership, master, sources(90, 500));
            assertThat(store.journal().stream().mapToInt(List::size).sum()).isLessThanOrEqualTo(510);
            same(second, master);
            final JournalSource source = second.journal()::answer;
            try (JournalKeeper third = new JournalKeeper(journal("member-3"), store, () -> List.of(source))) {
                same(third, master);
            }
            store.forgetJournal(mastership);
            assertThat(store.journal()).isEmpty();
        }
    }
}
