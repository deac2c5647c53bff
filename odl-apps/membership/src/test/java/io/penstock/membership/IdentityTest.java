// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a member beside its data. */
class IdentityTest {
    @TempDir
    private Path directory;

    @Test
    void aMemberIsMarkedUntilItHasAllData() throws IOException {
        Files.createFile(directory.resolve("cluster-data-incomplete"));
        final Identity fresh = new Identity(directory, true);
        assertThat(fresh.isFresh()).isTrue();
        fresh.complete();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aMemberThatMakesTheClusterHasAllData() throws IOException {
        Files.createFile(directory.resolve("cluster-data-incomplete"));
        new Identity(directory, true).make();
        assertThat(directory.resolve("cluster-data-incomplete")).doesNotExist();
        assertThat(directory.resolve("cluster-id")).exists();
    }

    @Test
    void aDecisionHoldsForOneClusterAndKeepsItsIdentity() throws IOException {
        Files.writeString(directory.resolve("cluster-id"), "red\n");
        Files.createFile(directory.resolve("cluster-data-decided"));
        final Identity decided = new Identity(directory, false);
        assertThat(decided.isDecided()).isTrue();
        decided.make();
        assertThat(decided.isDecided()).isFalse();
        assertThat(new Identity(directory, false).cluster()).contains("red");
    }

    @Test
    void theReportHasAllMembersThatAreHeardWithTheirReleases() {
        new Report(directory).tell("has caught up", List.of(
            new Peer("member-1", Peer.State.JOINED, Optional.of("red")),
            new Peer("member-2", Peer.State.FRESH, Optional.empty())),
            Map.of("member-1", Release.parse("member-1 0.1.0 ab12 later").orElseThrow()));
        assertThat(directory.resolve("cluster-state")).hasContent("""
            has caught up
            member-1 JOINED red 0.1.0 ab12
            member-2 FRESH - - -
            """);
    }
}
