// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.base.disk.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clock of leases, port blocks and idle times: it advances by one second in each second, whatever happens to the
 * wall clock. It begins as the wall clock, and later differs from it by all that the wall clock was changed.
 *
 * <p>A file keeps the clock over restarts. In the same boot of the machine it goes on by the kernel's time since boot
 * (CLOCK_BOOTTIME, /proc/uptime). After another boot it goes on by the wall clock, less the difference that was stored
 * last, so a change of the wall clock while the machine is off is not recognised. A member of a cluster that stands by
 * follows the clock of the master, so leases last as long after a takeover. Safe for all threads.
 */
public final class SteadyClock extends Clock {
    private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path UPTIME = Path.of("/proc/uptime");
    private static final Duration NEWS = Duration.ofSeconds(1);
    /** Differences to the clock of the master that are left: it is asked over the network. */
    private static final Duration TOLERANCE = Duration.ofMillis(200);

    /**
     * What the file has.
     *
     * @param boot identifies the boot of the machine
     * @param booted the time of this clock when the machine booted
     * @param ahead by how much the wall clock was ahead
     */
    private record Stored(String boot, Instant booted, Duration ahead) {
        static Stored parse(final String text) {
            final String[] words = text.strip().split(" ", -1);
            if (words.length != 3) {
                throw new IllegalArgumentException("needs three words");
            }
            return new Stored(words[0], Instant.parse(words[1]), Duration.parse(words[2]));
        }

        String text() {
            return boot + " " + booted + " " + ahead + "\n";
        }
    }

    private final Path file;
    private final Clock wall;
    private final LongSupplier nanos;
    private volatile Base base;
    private volatile Stored stored;

    /**
     * From where it goes on.
     *
     * @param nanos reading of {@code nanos}
     * @param time of this clock at that reading
     * @param booted the time of this clock when the machine booted
     */
    private record Base(long nanos, Instant time, Instant booted) { }

    SteadyClock(final Path file, final Clock wall, final LongSupplier nanos, final String boot,
            final Duration uptime) {
        this.file = requireNonNull(file);
        this.wall = requireNonNull(wall);
        this.nanos = requireNonNull(nanos);
        final long reading = nanos.getAsLong();
        final Instant now = wall.instant();
        final Optional<Stored> before = read(file);
        final Instant begun = before.map(last -> last.boot().equals(boot) ? last.booted().plus(uptime)
            : now.minus(last.ahead())).orElse(now);
        base = new Base(reading, begun, begun.minus(uptime));
        stored = new Stored(boot, base.booted(), Duration.between(begun, now));
        if (!before.equals(Optional.of(stored))) {
            write(stored);
        }
    }

    /**
     * Opens the clock that a file keeps; a new one without the file, or when it cannot be read.
     *
     * @param wall the wall clock
     * @throws UncheckedIOException when the kernel tells no time since boot
     */
    public static SteadyClock open(final Path file, final Clock wall) {
        try {
            final double seconds = Double.parseDouble(Files.readString(UPTIME).split(" ", 2)[0]);
            return new SteadyClock(file, wall, System::nanoTime, Files.readString(BOOT_ID).strip(),
                Duration.ofMillis(Math.round(seconds * 1000)));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the time since boot", e);
        }
    }

    @Override
    public Instant instant() {
        final Base from = base;
        return from.time().plusNanos(nanos.getAsLong() - from.nanos());
    }

    /**
     * Goes on from another time: that of the master, for a member that stands by.
     *
     * @param time what the clock of the master says now
     */
    public synchronized void follow(final Instant time) {
        final Duration change = Duration.between(instant(), time);
        if (change.abs().compareTo(TOLERANCE) < 0) {
            return;
        }
        LOG.info("The clock of leases follows that of the master, by {}", change);
        final Base from = base;
        base = new Base(from.nanos(), from.time().plus(change), from.booted().plus(change));
        stored = new Stored(stored.boot(), base.booted(), ahead());
        write(stored);
    }

    /** The time of the wall clock, as it is now, at a time of this clock. For people. */
    public Instant toWall(final Instant time) {
        return time.plus(ahead());
    }

    /** Stores the difference to the wall clock when it has changed by a second. An error is logged, not thrown. */
    public synchronized void save() {
        final Stored before = stored;
        final Duration ahead = ahead();
        final Duration change = ahead.minus(before.ahead());
        if (change.abs().compareTo(NEWS) >= 0) {
            LOG.warn("The wall clock was changed by {}. Leases, port blocks and idle times are not affected", change);
            stored = new Stored(before.boot(), base.booted(), ahead);
            write(stored);
        }
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(final ZoneId zone) {
        throw new UnsupportedOperationException("times of this clock are no dates for people");
    }

    private Duration ahead() {
        return Duration.between(instant(), wall.instant());
    }

    private static Optional<Stored> read(final Path file) {
        try {
            return Optional.of(Stored.parse(Files.readString(file, StandardCharsets.US_ASCII)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            LOG.warn("The steady clock begins again with the wall clock: {} cannot be read: {}", file, e.toString());
            return Optional.empty();
        }
    }

    private void write(final Stored value) {
        try {
            DurableFiles.replace(file, value.text().getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            LOG.warn("Cannot write {}: after a restart leases end by the wall clock", file, e);
        }
    }
}
