// SPDX-License-Identifier: Apache-2.0
package io.penstock.karaf.firstuser;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.opendaylight.aaa.api.IDMStoreException;
import org.opendaylight.aaa.api.IIDMStore;
import org.opendaylight.aaa.api.StoreBuilder;
import org.opendaylight.aaa.datastore.h2.H2Store;
import org.opendaylight.aaa.datastore.h2.IdmLightConfigBuilder;
import org.opendaylight.aaa.datastore.h2.IdmLightSimpleConnectionProvider;
import org.opendaylight.aaa.impl.password.service.DefaultPasswordHashService;

/**
 * Creates the user store of a controller that has not started yet, with one administrator. OpenDaylight puts
 * admin/admin into every store it finds empty; it leaves one that has its domain alone.
 */
final class FirstUser {
    /** What AAA itself opens its store with; not a login. */
    private static final String STORE_USER = "foo";
    private static final String STORE_PASSWORD = "bar";

    private FirstUser() {
        // command
    }

    /**
     * Runs the command.
     *
     * @param args the store's directory (the controller's {@code data}) and the user's name; the password is the
     *     first line of standard input, so that no process list shows it
     * @throws IOException if standard input cannot be read
     * @throws IDMStoreException if the store cannot be written
     */
    public static void main(final String[] args) throws IOException, IDMStoreException {
        final var password =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        if (args.length != 2 || password == null || password.isEmpty()) {
            throw new IllegalArgumentException("usage: FirstUser DIRECTORY NAME, the password on standard input");
        }
        create(args[0], args[1], password);
    }

    static void create(final String directory, final String name, final String password) throws IDMStoreException {
        final var config = new IdmLightConfigBuilder()
            .dbDirectory(directory).dbUser(STORE_USER).dbPwd(STORE_PASSWORD).build();
        final var store =
            new H2Store(new IdmLightSimpleConnectionProvider(config), new DefaultPasswordHashService());
        final var builder = new StoreBuilder(store);
        final var domain = builder.initDomainAndRolesWithoutUsers(IIDMStore.DEFAULT_DOMAIN);
        if (domain == null) {
            throw new IllegalStateException("the user store in " + directory + " has been used before");
        }
        builder.createUser(domain, name, password, true);
    }
}
