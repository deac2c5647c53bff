// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.login;

import static java.util.Objects.requireNonNull;

import io.penstock.access.Role;
import io.penstock.access.User;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.opendaylight.mdsal.binding.api.ClusteredDataTreeChangeListener;
import org.opendaylight.mdsal.binding.api.DataBroker;
import org.opendaylight.mdsal.binding.api.DataTreeIdentifier;
import org.opendaylight.mdsal.binding.api.DataTreeModification;
import org.opendaylight.mdsal.binding.api.ReadTransaction;
import org.opendaylight.mdsal.binding.api.ReadWriteTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.DateAndTime;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.AccountName;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.Accounts;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.accounts.UserBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.accounts.UserKey;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The accounts of the datastore, which members of a cluster share. Safe for all threads. */
@Component(service = AccountStore.class)
public final class AccountStore implements ClusteredDataTreeChangeListener<Accounts>, AutoCloseable {
    private static final InstanceIdentifier<Accounts> ACCOUNTS = InstanceIdentifier.create(Accounts.class);
    /** As in penstock.yang; a colon would reach into the lists of another tenant. */
    private static final Pattern TENANT = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?");
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final long NANOS = 1_000_000;
    private static final Logger LOG = LoggerFactory.getLogger(AccountStore.class);

    private final DataBroker broker;
    private final Clock clock;
    private final Registration listener;
    private final Object told = new Object();
    private volatile Optional<Map<String, Account>> accounts = Optional.empty();

    /** What {@code set-user} is told; what is empty keeps its value. */
    record Change(String name, boolean isNew, Optional<Role> role, Optional<Set<String>> tenants,
            Optional<String> password) { }

    /** Follows a datastore. */
    @Activate
    public AccountStore(@Reference final DataBroker broker) {
        this(broker, Clock.systemUTC());
    }

    AccountStore(final DataBroker broker, final Clock clock) {
        this.broker = requireNonNull(broker);
        this.clock = requireNonNull(clock);
        listener = broker.registerDataTreeChangeListener(
            DataTreeIdentifier.create(LogicalDatastoreType.CONFIGURATION, ACCOUNTS), this);
    }

    /** Accounts by name; empty as long as the datastore has not told them. */
    Optional<Map<String, Account>> accounts() {
        return accounts;
    }

    @Override
    public void onInitialData() {
        // There is none.
        tell(Map.of());
    }

    @Override
    public void onDataTreeChanged(final Collection<DataTreeModification<Accounts>> changes) {
        for (final DataTreeModification<Accounts> change : changes) {
            tell(read(Optional.ofNullable(change.getRootNode().getDataAfter())));
        }
    }

    private void tell(final Map<String, Account> now) {
        synchronized (told) {
            accounts = Optional.of(now);
            told.notifyAll();
        }
    }

    /** Waits until this controller goes by what was stored, which takes some milliseconds; for a moment at most. */
    private void await(final Predicate<Map<String, Account>> state) throws InterruptedException {
        final long end = System.nanoTime() + PATIENCE.toNanos();
        synchronized (told) {
            for (long left = PATIENCE.toMillis(); left > 0 && accounts.filter(state).isEmpty();
                    left = (end - System.nanoTime()) / NANOS) {
                told.wait(left);
            }
        }
    }

    private static Map<String, Account> read(final Optional<Accounts> stored) {
        final Map<String, Account> read = new HashMap<>();
        stored.ifPresent(each -> each.nonnullUser().forEach((key, user) -> {
            final String name = key.getName().getValue();
            final Optional<Account> account = account(name, user.getPasswordHash(), user.getRole(), user.getTenant());
            account.ifPresentOrElse(found -> read.put(name, found),
                () -> LOG.warn("Account {} is not complete, and cannot log in", name));
        }));
        return Map.copyOf(read);
    }

    /** One that is not whole lets none in. */
    private static Optional<Account> account(final String name, final @Nullable String hash,
            final org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.@Nullable Role role,
            final @Nullable Set<String> tenants) {
        return role == null || hash == null || name.equals(LocalAdmin.NAME) ? Optional.empty()
            : Optional.of(new Account(new User(name, role(role), tenants == null ? Set.of() : tenants), hash));
    }

    private static Role role(final org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.Role stored) {
        return Role.of(stored.getName()).orElseThrow();
    }

    /** The stored accounts, with their hashes. */
    Optional<Accounts> stored() throws InterruptedException, ExecutionException {
        try (ReadTransaction transaction = broker.newReadOnlyTransaction()) {
            return transaction.read(LogicalDatastoreType.CONFIGURATION, ACCOUNTS).get();
        }
    }

    /**
     * Makes or changes an account.
     *
     * @throws IllegalArgumentException when it would not be one, or is there or not there against what is said
     * @throws ExecutionException when it cannot be stored, or another change of it came first
     */
    void set(final Change change) throws InterruptedException, ExecutionException {
        final String name = change.name();
        if (name.equals(LocalAdmin.NAME)) {
            throw new IllegalArgumentException("admin is the account of each controller itself: its password is in"
                + " the file password of the controller's directory");
        }
        final var entry = ACCOUNTS.child(
            org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.accounts.User.class,
            new UserKey(new AccountName(name)));
        final UserBuilder after;
        final ReadWriteTransaction transaction = broker.newReadWriteTransaction();
        try {
            final var before = transaction.read(LogicalDatastoreType.CONFIGURATION, entry).get();
            if (before.isPresent() == change.isNew()) {
                throw new IllegalArgumentException(name + (change.isNew() ? " is there already" : " is no account"));
            }
            after = before.map(UserBuilder::new)
                .orElseGet(() -> new UserBuilder().withKey(new UserKey(new AccountName(name))));
            change.role().ifPresent(role -> after.setRole(
                org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.Role.forName(role.text())));
            change.tenants().ifPresent(after::setTenant);
            change.password().ifPresent(password -> after.setPasswordHash(Passwords.hash(password)));
            after.setChanged(new DateAndTime(clock.instant().truncatedTo(ChronoUnit.SECONDS).toString()));
            check(name, after);
            transaction.put(LogicalDatastoreType.CONFIGURATION, entry, after.build());
        } catch (IllegalArgumentException | ExecutionException e) {
            transaction.cancel();
            throw e;
        }
        transaction.commit().get();
        final Optional<Account> stored = account(name, after.getPasswordHash(), after.getRole(), after.getTenant());
        await(now -> Optional.ofNullable(now.get(name)).equals(stored));
    }

    private static void check(final String name, final UserBuilder user) {
        if (user.getRole() == null || user.getPasswordHash() == null) {
            throw new IllegalArgumentException(name + ": a new account needs role and password");
        }
        if (user.getTenant() != null && !user.getTenant().stream().allMatch(TENANT.asMatchPredicate())) {
            throw new IllegalArgumentException(name + ": tenant: one is not the name of a tenant");
        }
        final boolean hasTenants = user.getTenant() != null && !user.getTenant().isEmpty();
        if (hasTenants != (role(user.getRole()) == Role.TENANT)) {
            throw new IllegalArgumentException(name + ": role " + user.getRole().getName().toLowerCase(Locale.ROOT)
                + (hasTenants ? " has no tenants" : " needs a tenant"));
        }
    }

    /**
     * Removes an account.
     *
     * @throws IllegalArgumentException when there is none
     */
    void delete(final String name) throws InterruptedException, ExecutionException {
        final var entry = ACCOUNTS.child(
            org.opendaylight.yang.gen.v1.urn.penstock.access.rev261126.accounts.User.class,
            new UserKey(new AccountName(name)));
        final ReadWriteTransaction transaction = broker.newReadWriteTransaction();
        if (transaction.read(LogicalDatastoreType.CONFIGURATION, entry).get().isEmpty()) {
            transaction.cancel();
            throw new IllegalArgumentException(name + " is no account");
        }
        transaction.delete(LogicalDatastoreType.CONFIGURATION, entry);
        transaction.commit().get();
        await(now -> !now.containsKey(name));
    }

    @Deactivate
    @Override
    public void close() {
        listener.close();
    }
}
