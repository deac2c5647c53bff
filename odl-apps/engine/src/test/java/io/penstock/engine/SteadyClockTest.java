// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.penstock.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Leases and blocks go by time that passes, not by what the wall clock is set to. */
class SteadyClockTest {
    private static final Instant NOON = Instant.parse("2026-11-25T12:00:00Z");
    private static final Duration UP = Duration.ofHours(5);

    private final ManualClock wall = new ManualClock(NOON);
    @TempDir
    private Path directory;
    private Path file;
    private long nanos;

    @BeforeEach
    void setUp() {
        file = directory.resolve("steady-clock");
    }

    @Test
    void itBeginsAsTheWallClock() {
        assertEquals(NOON, clock("boot", UP).instant());
    }

    @Test
    void aJumpOfTheWallClockChangesNothing() {
        final SteadyClock clock = clock("boot", UP);
        pass(10);
        wall.pass(3 * 3600);
        assertEquals(NOON.plusSeconds(10), clock.instant());
        wall.pass(-24 * 3600);
        assertEquals(NOON.plusSeconds(10), clock.instant());
    }

    @Test
    void timesAreShownByTheWallClock() {
        final SteadyClock clock = clock("boot", UP);
        wall.pass(3600);
        assertEquals(NOON.plusSeconds(3600 + 60), clock.toWall(clock.instant().plusSeconds(60)));
    }

    @Test
    void aRestartAfterAJumpGoesOn() {
        clock("boot", UP);
        pass(10);
        wall.pass(3 * 3600);
        // Nothing was stored since: the controller may have been killed at the jump.
        assertEquals(NOON.plusSeconds(10), clock("boot", UP.plusSeconds(10)).instant());
    }

    @Test
    void anotherBootGoesOnWithTheDifference() {
        final SteadyClock clock = clock("boot", UP);
        wall.pass(3 * 3600);
        clock.save();
        wall.pass(600);
        assertEquals(NOON.plusSeconds(600), clock("another", Duration.ofSeconds(20)).instant());
    }

    @Test
    void oneThatStandsByFollowsTheMasterAlsoOverRestarts() {
        final SteadyClock clock = clock("boot", UP);
        pass(10);
        final Instant master = NOON.minusSeconds(7200);
        clock.follow(master);
        assertEquals(master, clock.instant());
        pass(10);
        assertEquals(master.plusSeconds(10), clock.instant());
        clock.save();
        assertEquals(master.plusSeconds(10), clock("boot", UP.plusSeconds(20)).instant());
        assertEquals(master.plusSeconds(10), clock("another", Duration.ofSeconds(20)).instant());
        assertEquals(NOON.plusSeconds(20), clock.toWall(clock.instant()), "people see the wall clock");
    }

    @Test
    void aDifferenceOfTheNetworkIsNotFollowed() {
        final SteadyClock clock = clock("boot", UP);
        clock.follow(NOON.plusMillis(199));
        assertEquals(NOON, clock.instant());
    }

    @Test
    void theDifferenceIsStoredOnceForAChange() throws IOException {
        final SteadyClock clock = clock("boot", UP);
        wall.pass(60);
        clock.save();
        assertTrue(Files.readString(file).contains("PT1M"), Files.readString(file));
        Files.delete(file);
        clock.save();
        assertFalse(Files.exists(file));
    }

    @Test
    void aDamagedFileIsReplaced() throws IOException {
        Files.writeString(file, "boot yesterday PT1S\n");
        assertEquals(NOON, clock("boot", UP).instant());
        wall.pass(60);
        assertEquals(NOON, clock("boot", UP).instant());
    }

    @Test
    void theKernelsTimeIsUsed() {
        final SteadyClock clock = SteadyClock.open(file, Clock.systemUTC());
        final Duration difference = Duration.between(clock.instant(), SteadyClock.open(file, wall).instant()).abs();
        assertTrue(difference.compareTo(Duration.ofSeconds(30)) < 0, difference.toString());
    }

    private SteadyClock clock(final String boot, final Duration uptime) {
        return new SteadyClock(file, wall, () -> nanos, boot, uptime);
    }

    private void pass(final long seconds) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
        wall.pass(seconds);
    }
}
