// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.login;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Salted slow hashes of passwords (PBKDF2, RFC 8018), as text that has all that is needed to check one. Stateless. */
final class Passwords {
    private static final String KIND = "pbkdf2-sha256";
    /** Take some 150 ms of a processor here: Java's first compiler, which the controller uses, hashes slowly. */
    private static final int ROUNDS = 60_000;
    /** A stored number of rounds beyond it is no hash of ours: it would hold a thread for long. */
    private static final int MOST_ROUNDS = 10_000_000;
    private static final int SALT_BYTES = 16;
    private static final int HASH_BITS = 256;
    private static final int PARTS = 4;
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Base64.Encoder ENCODER = Base64.getEncoder().withoutPadding();

    /** A hash of no password, of the same cost, so that a name that is unknown is not told from a wrong password. */
    static final String OF_NONE = KIND + "$" + ROUNDS + "$" + "A".repeat(22) + "$" + "A".repeat(43);

    private Passwords() {
        // Only functions.
    }

    static String hash(final String password) {
        final byte[] salt = new byte[SALT_BYTES];
        RANDOM.nextBytes(salt);
        return KIND + "$" + ROUNDS + "$" + ENCODER.encodeToString(salt) + "$"
            + ENCODER.encodeToString(derive(password, salt, ROUNDS));
    }

    /** Whether a hash is that of a password; false for what is no hash, too. */
    static boolean matches(final String password, final String hash) {
        final String[] parts = hash.split("\\$");
        if (parts.length != PARTS || !parts[0].equals(KIND)) {
            return false;
        }
        try {
            final int rounds = Integer.parseInt(parts[1]);
            final byte[] salt = Base64.getDecoder().decode(parts[2]);
            final byte[] wanted = Base64.getDecoder().decode(parts[3]);
            return rounds > 0 && rounds <= MOST_ROUNDS && salt.length > 0
                && MessageDigest.isEqual(wanted, derive(password, salt, rounds));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static byte[] derive(final String password, final byte[] salt, final int rounds) {
        final PBEKeySpec key = new PBEKeySpec(password.toCharArray(), salt, rounds, HASH_BITS);
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(key).getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java 17 has PBKDF2WithHmacSHA256", e);
        } finally {
            key.clearPassword();
        }
    }
}
