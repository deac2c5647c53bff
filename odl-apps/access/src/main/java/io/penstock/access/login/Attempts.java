// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.login;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How long a source address has to wait before its next login is looked at. Failures of an address delay that address;
 * failures of a name, wherever they come from, delay addresses that have never logged in by that name. So an attacker
 * slows himself, and guessing by many addresses, but no user who logs in from where he did before. Memory is bounded:
 * what was used least is forgotten. Safe for all threads.
 */
final class Attempts {
    /** Failures of an address, as of a user who types, before it waits. */
    static final int FREE_OF_ADDRESS = 5;
    static final int FREE_OF_NAME = 20;
    private static final Duration MOST_OF_ADDRESS = Duration.ofSeconds(60);
    private static final Duration MOST_OF_NAME = Duration.ofSeconds(10);
    private static final int MOST_DOUBLINGS = 6;
    private static final int MOST_KEPT = 10_000;
    private static final Duration MEMORY = Duration.ofMinutes(15);
    private static final Duration TRUST = Duration.ofDays(1);
    /** Bytes of an IPv6 address that a site chooses from. */
    private static final int SITE = 8;

    private final LongSupplier nanos;
    private final Cache<String, Failures> addresses = cache();
    private final Cache<String, Failures> names = cache();
    private final Cache<String, Boolean> trusted = CacheBuilder.newBuilder().maximumSize(MOST_KEPT)
        .expireAfterAccess(TRUST).build();

    /**
     * What failed.
     *
     * @param until time before which the next attempt is not looked at
     */
    private record Failures(int number, long until) { }

    Attempts(final LongSupplier nanos) {
        this.nanos = nanos;
    }

    private static Cache<String, Failures> cache() {
        return CacheBuilder.newBuilder().maximumSize(MOST_KEPT).expireAfterWrite(MEMORY).build();
    }

    /** How long a login has to wait; empty if it is looked at now. */
    Optional<Duration> delay(final String address, final String name) {
        final String source = source(address);
        final long now = nanos.getAsLong();
        long wait = left(addresses.getIfPresent(source), now);
        if (trusted.getIfPresent(source + " " + name) == null) {
            wait = Math.max(wait, left(names.getIfPresent(name), now));
        }
        return wait <= 0 ? Optional.empty() : Optional.of(Duration.ofNanos(wait));
    }

    private static long left(final @Nullable Failures failures, final long now) {
        return failures == null ? 0 : failures.until() - now;
    }

    void failed(final String address, final String name) {
        addresses.asMap().merge(source(address), first(), (known, none) ->
            after(known, FREE_OF_ADDRESS, MOST_OF_ADDRESS));
        names.asMap().merge(name, first(), (known, none) -> after(known, FREE_OF_NAME, MOST_OF_NAME));
    }

    void succeeded(final String address, final String name) {
        final String source = source(address);
        addresses.invalidate(source);
        trusted.put(source + " " + name, true);
    }

    /** How many addresses and names are remembered. */
    long kept() {
        return addresses.size() + names.size();
    }

    private Failures first() {
        return new Failures(1, nanos.getAsLong());
    }

    private Failures after(final Failures known, final int free, final Duration most) {
        final int number = known.number() + 1;
        if (number <= free) {
            return new Failures(number, nanos.getAsLong());
        }
        final long pause = Duration.ofSeconds(1).toNanos() << Math.min(number - free - 1, MOST_DOUBLINGS);
        return new Failures(number, nanos.getAsLong() + Math.min(pause, most.toNanos()));
    }

    /** Who has one IPv6 address has all of its /64. */
    private static String source(final String address) {
        try {
            // It is an address, so no name is asked for.
            final InetAddress parsed = InetAddress.getByName(address);
            return parsed instanceof Inet6Address
                ? HexFormat.of().formatHex(Arrays.copyOf(parsed.getAddress(), SITE)) : address;
        } catch (UnknownHostException e) {
            return address;
        }
    }
}
