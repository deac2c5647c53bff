// SPDX-License-Identifier: Apache-2.0
package io.penstock.access;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What an account is for. {@link Access} has what each may do. */
public enum Role {
    /** Owns the edge: everything. */
    PROVIDER,
    /** Runs the edge: tenants, chains, pools and lists, but neither nodes nor accounts. */
    OPERATOR,
    /** Has one or several tenants: reads them, and changes what is within what the provider gave them. */
    TENANT,
    /** Reads by GET alone. */
    READER;

    /** The role of a name, as accounts and messages have it. */
    public static Optional<Role> of(final String text) {
        return Stream.of(values()).filter(role -> role.text().equals(text)).findFirst();
    }

    /** The name of the role. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
