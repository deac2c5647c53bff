// SPDX-License-Identifier: Apache-2.0
package io.penstock.page;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The files of the page, in memory: some hundred kilobytes, and no request reads another file. Immutable, and safe for
 * all threads.
 */
final class Assets {
    /** Where the build has put them: the pom has the same name. */
    private static final String DIRECTORY = "/penstock-page/";
    private static final String LIST = "files.txt";
    private static final int TAG_BYTES = 16;

    private final Map<String, Asset> files;

    private Assets(final Map<String, Asset> files) {
        this.files = Map.copyOf(files);
    }

    /**
     * Reads the files that the build has listed.
     *
     * @throws IOException if one of them is not in the bundle: it was built without the page
     */
    static Assets load() throws IOException {
        final Map<String, Asset> files = new TreeMap<>();
        for (final String name : new String(read(LIST), StandardCharsets.UTF_8).lines().toList()) {
            final byte[] plain = read(name);
            files.put(name, new Asset(name, plain, read(name + ".gz"), tag(plain)));
        }
        return new Assets(files);
    }

    private static byte[] read(final String name) throws IOException {
        try (InputStream file = Assets.class.getResourceAsStream(DIRECTORY + name)) {
            if (file == null) {
                throw new FileNotFoundException("the bundle has no " + DIRECTORY + name + ": build odl-apps/page");
            }
            return file.readAllBytes();
        }
    }

    private static String tag(final byte[] content) {
        try {
            return '"' + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content), 0, TAG_BYTES)
                + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has SHA-256", e);
        }
    }

    /** The file of a name; empty when the page has none. */
    Optional<Asset> file(final String name) {
        return Optional.ofNullable(files.get(name));
    }

    /** All files by name. */
    Map<String, Asset> all() {
        return files;
    }
}
