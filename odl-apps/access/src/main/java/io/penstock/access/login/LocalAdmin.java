// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.login;

import io.penstock.access.Role;
import io.penstock.access.User;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The account {@code admin} of this controller, whose generated password is in a file that its owner alone may read.
 * The file is what counts: another password in it is valid from then on. Safe for all threads.
 */
final class LocalAdmin {
    static final String NAME = "admin";
    static final User USER = new User(NAME, Role.PROVIDER, Set.of());
    /** Characters; a shorter one was not generated, and could be guessed. */
    private static final int LEAST = 16;
    private static final Logger LOG = LoggerFactory.getLogger(LocalAdmin.class);

    private final Path file;

    LocalAdmin(final Path file) {
        this.file = file;
    }

    boolean accepts(final String password) {
        final String right;
        try {
            right = Files.readString(file, StandardCharsets.US_ASCII).strip();
        } catch (IOException e) {
            LOG.warn("The password of {} cannot be read: {}", NAME, e.toString());
            return false;
        }
        return right.length() >= LEAST && MessageDigest.isEqual(right.getBytes(StandardCharsets.UTF_8),
            password.getBytes(StandardCharsets.UTF_8));
    }
}
