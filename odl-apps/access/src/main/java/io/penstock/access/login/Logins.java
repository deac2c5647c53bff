// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.login;

import static java.util.Objects.requireNonNull;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.hash.HashCode;
import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import io.penstock.access.User;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Checks names and passwords of requests (RFC 7617). A password that was right is known again for some minutes by a
 * hash with a random key, so that the slow hash is made once and not for each request; it is forgotten with the account
 * as it was. Safe for all threads.
 */
@Component(service = Logins.class)
public final class Logins {
    private static final String BASIC = "Basic";
    private static final int KEY_BYTES = 32;
    private static final int MOST_KNOWN = 1000;
    private static final Duration LATELY = Duration.ofMinutes(10);
    /** Characters of a name that is told; longer ones are of no account. */
    private static final int MOST_NAME = 48;
    /** Slow hashes at once: guesses must not take all processors from the network's packets. */
    private static final int HASHES = 1;
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Supplier<Optional<Map<String, Account>>> accounts;
    private final LocalAdmin admin;
    private final Attempts attempts;
    private final Semaphore hashes = new Semaphore(HASHES, true);
    private final HashFunction hash;
    private final BiPredicate<String, String> matches;
    private final Cache<HashCode, Account> known = CacheBuilder.newBuilder().maximumSize(MOST_KNOWN)
        .expireAfterWrite(LATELY).build();

    /** A name and a password that were sent. */
    private record Credentials(String name, String password) { }

    /** With the accounts of the datastore, and that of this controller. */
    @Activate
    public Logins(@Reference final AccountStore accounts, final BundleContext bundles) {
        this(accounts, Path.of(bundles.getProperty("karaf.base")).resolve("password"));
    }

    /** With the accounts of a datastore, and admin's password in a file. */
    public Logins(final AccountStore accounts, final Path adminsPassword) {
        this(accounts::accounts, adminsPassword, System::nanoTime, Passwords::matches);
    }

    /**
     * With accounts from anywhere.
     *
     * @param accounts by name; empty as long as they are not known
     * @param matches whether a password is that of a hash; takes long
     */
    Logins(final Supplier<Optional<Map<String, Account>>> accounts, final Path adminsPassword,
            final LongSupplier nanos, final BiPredicate<String, String> matches) {
        this.accounts = requireNonNull(accounts);
        admin = new LocalAdmin(adminsPassword);
        attempts = new Attempts(nanos);
        this.matches = requireNonNull(matches);
        final byte[] key = new byte[KEY_BYTES];
        RANDOM.nextBytes(key);
        hash = Hashing.hmacSha256(key);
    }

    /**
     * Checks a login. Blocks for the time of a slow hash, for two seconds at most beside others.
     *
     * @param header the header Authorization; null if there is none
     * @param address from which the request comes
     */
    public Login login(final @Nullable String header, final String address) {
        final Optional<Credentials> sent = credentials(header);
        if (sent.isEmpty()) {
            return new Login.Refused("");
        }
        final Credentials credentials = sent.orElseThrow();
        final String name = credentials.name();
        final String told = name.length() <= MOST_NAME ? name : name.substring(0, MOST_NAME);
        final HashCode key = hash.hashUnencodedChars(name + ":" + credentials.password());
        final Optional<User> again = again(name, key);
        if (again.isPresent()) {
            return new Login.Accepted(again.orElseThrow());
        }
        // Its password cannot be guessed, so nothing delays one that is right.
        if (name.equals(LocalAdmin.NAME) && admin.accepts(credentials.password())) {
            return new Login.Accepted(LocalAdmin.USER);
        }
        final Optional<Duration> delay = attempts.delay(address, told);
        if (delay.isPresent()) {
            return new Login.Later(told, delay.orElseThrow());
        }
        if (name.equals(LocalAdmin.NAME)) {
            attempts.failed(address, told);
            return new Login.Refused(told);
        }
        return checked(credentials, told, key, address);
    }

    private Optional<User> again(final String name, final HashCode key) {
        final Account account = known.getIfPresent(key);
        // One that was changed or removed since is another account, or none.
        return account == null ? Optional.empty() : accounts.get().map(all -> all.get(name)).filter(account::equals)
            .map(Account::user);
    }

    private Login checked(final Credentials credentials, final String told, final HashCode key, final String address) {
        final Optional<Map<String, Account>> all = accounts.get();
        if (all.isEmpty()) {
            return new Login.NotReady(told);
        }
        final Optional<Account> account = Optional.ofNullable(all.orElseThrow().get(credentials.name()));
        try {
            if (!hashes.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return new Login.Later(told, PATIENCE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Login.Later(told, PATIENCE);
        }
        final boolean isRight;
        try {
            isRight = matches.test(credentials.password(), account.map(Account::hash).orElse(Passwords.OF_NONE));
        } finally {
            hashes.release();
        }
        if (!isRight || account.isEmpty()) {
            attempts.failed(address, told);
            return new Login.Refused(told);
        }
        attempts.succeeded(address, told);
        known.put(key, account.orElseThrow());
        return new Login.Accepted(account.orElseThrow().user());
    }

    private static Optional<Credentials> credentials(final @Nullable String header) {
        final String[] parts = header == null ? new String[0] : header.strip().split(" +", 2);
        if (parts.length < 2 || !parts[0].equalsIgnoreCase(BASIC)) {
            return Optional.empty();
        }
        try {
            final String[] words = new String(Base64.getDecoder().decode(parts[1]), StandardCharsets.UTF_8)
                .split(":", 2);
            return words.length < 2 || words[0].isEmpty() ? Optional.empty()
                : Optional.of(new Credentials(words[0], words[1]));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
