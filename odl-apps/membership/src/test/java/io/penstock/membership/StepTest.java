// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import static io.penstock.membership.Peer.State.CATCHING_UP;
import static io.penstock.membership.Peer.State.FRESH;
import static io.penstock.membership.Peer.State.JOINED;
import static io.penstock.membership.Peer.State.WAITING;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The steps of members that are a part of no cluster. */
class StepTest {
    private static Peer peer(final int number, final Peer.State state) {
        return new Peer("member-" + number, state, state == FRESH ? Optional.empty() : Optional.of("red"));
    }

    private static Step step(final Peer own, final Peer... heard) {
        return Step.next(own, List.of(heard), 3, false);
    }

    private static String reason(final Step step) {
        assertThat(step).isInstanceOf(Step.Wait.class);
        return ((Step.Wait) step).reason();
    }

    @Test
    void theFirstStartNeedsAll() {
        assertThat(reason(step(peer(1, FRESH)))).isEqualTo("the first start needs all 3 members, and there are "
            + "member-1");
        assertThat(reason(step(peer(1, FRESH), peer(3, FRESH)))).contains("member-1, member-3");
        assertThat(step(peer(1, FRESH), peer(3, FRESH), peer(2, FRESH))).isEqualTo(new Step.Form(3));
        assertThat(reason(step(peer(3, FRESH), peer(1, FRESH), peer(2, FRESH)))).contains("that member-1 makes");
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "1, 3", "2, 3"})
    void laterStartsNeedAMajorityWithData(final int one, final int other) {
        assertThat(reason(step(peer(one, WAITING)))).isEqualTo("a cluster needs 2 members with data, and there are "
            + "member-" + one);
        assertThat(step(peer(one, WAITING), peer(other, WAITING))).isEqualTo(new Step.Form(2));
        assertThat(reason(step(peer(other, WAITING), peer(one, WAITING)))).contains("that member-" + one + " makes");
    }

    @Test
    void aMemberWithoutDataIsNoPartOfTheMajority() {
        assertThat(reason(step(peer(1, WAITING), peer(2, FRESH), peer(3, FRESH)))).contains("2 members with data");
        assertThat(reason(step(peer(1, FRESH), peer(2, FRESH), peer(3, WAITING)))).contains("2 members with data");
        assertThat(step(peer(2, WAITING), peer(1, FRESH), peer(3, WAITING))).isEqualTo(new Step.Form(2));
    }

    @Test
    void aPersonMaySayThatOneMemberHasTheData() {
        assertThat(Step.next(peer(1, WAITING), List.of(peer(2, FRESH), peer(3, FRESH)), 3, true))
            .isEqualTo(new Step.Form(1));
        assertThat(Step.next(peer(1, WAITING), List.of(peer(2, JOINED)), 3, true))
            .isEqualTo(new Step.Join("member-2"));
    }

    @Test
    void whoIsInIsJoined() {
        assertThat(step(peer(1, WAITING), peer(3, JOINED))).isEqualTo(new Step.Join("member-3"));
        assertThat(step(peer(1, FRESH), peer(2, WAITING), peer(3, JOINED))).isEqualTo(new Step.Join("member-3"));
    }

    @Test
    void membersWithoutDataJoinOneAtATime() {
        assertThat(reason(step(peer(3, FRESH), peer(1, JOINED), peer(2, CATCHING_UP))))
            .contains("when member-2 has caught up");
        assertThat(step(peer(3, WAITING), peer(1, JOINED), peer(2, CATCHING_UP)))
            .isEqualTo(new Step.Join("member-1"));
    }

    @Test
    void dataOfAnotherClusterAreNotMixed() {
        final Peer foreign = new Peer("member-2", WAITING, Optional.of("blue"));
        assertThat(reason(step(peer(1, WAITING), foreign))).isEqualTo("members have the data of different clusters: "
            + "member-1 of red, member-2 of blue");
        assertThat(reason(step(peer(1, WAITING), new Peer("member-2", JOINED, Optional.of("blue")))))
            .contains("different clusters");
        assertThat(step(peer(1, WAITING), foreign, peer(3, JOINED))).isEqualTo(new Step.Join("member-3"));
    }

    @Test
    void aLineIsReadAsItWasWritten() {
        Stream.of(peer(1, FRESH), peer(2, JOINED)).forEach(peer ->
            assertThat(Peer.parse(peer.text())).contains(peer));
        Stream.of("", "member-1", "member-1 ASLEEP red", "member-1 JOINED red blue").forEach(text ->
            assertThat(Peer.parse(text)).as(text).isEmpty());
    }
}
