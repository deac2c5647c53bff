// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tls;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * Files of a member, all PEM.
 *
 * @param certificate of this member
 * @param key its private key, PKCS 8 without a password
 * @param authority certificates of those who may sign the peers'
 * @param revoked lists of revoked certificates, one of each authority
 */
public record TlsFiles(Path certificate, Path key, Path authority, Path revoked) {
    /** Checks what is given. */
    public TlsFiles {
        requireNonNull(certificate);
        requireNonNull(key);
        requireNonNull(authority);
        requireNonNull(revoked);
    }

    /** Changes when a file was replaced or written. */
    List<Object> stamp() throws IOException {
        return List.of(stamp(certificate), stamp(key), stamp(authority), stamp(revoked));
    }

    private static Object stamp(final Path file) throws IOException {
        final BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        return List.of(attributes.lastModifiedTime(), attributes.size(), String.valueOf(attributes.fileKey()));
    }
}
