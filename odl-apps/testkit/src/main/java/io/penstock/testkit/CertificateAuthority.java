// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import static java.util.Objects.requireNonNull;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** An authority for certificates, made by the program that operators use. Not for several threads. */
public final class CertificateAuthority {
    /** A certificate that has ended: the commands make none. */
    private static final String EXPIRE = """
        import datetime, pathlib, sys
        from cryptography import x509
        from penstock_base import files
        from penstock_pki import certificates, names
        authority, out, kind, name = sys.argv[1:]
        authority, out = pathlib.Path(authority), pathlib.Path(out)
        ca = x509.load_pem_x509_certificate((authority / "ca.pem").read_bytes())
        ca_key = certificates.key_of((authority / "ca.key").read_bytes())
        key = certificates.key_of((out / "key.pem").read_bytes())
        end = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=2)
        made = certificates.of_owner(names.Owner(kind, name), 4711, end, key, ca, ca_key)
        files.replace(out / "certificate.pem", certificates.text(made))
        files.replace(out / "key.pem", certificates.key_text(key))
        """;

    private final Path directory;

    private CertificateAuthority(final Path directory) {
        this.directory = directory;
    }

    /** Makes one in an empty directory. */
    public static CertificateAuthority in(final Path directory) {
        final CertificateAuthority made = new CertificateAuthority(directory);
        made.run("init");
        return made;
    }

    /** Files of a new member that is reached at some addresses. */
    public Path member(final String name, final String... addresses) {
        final List<String> words = new ArrayList<>(List.of("issue", "member", name));
        for (final String address : addresses) {
            words.addAll(List.of("--address", address));
        }
        run(words.toArray(String[]::new));
        return directory.resolve("member-" + name);
    }

    /** Files of a new node. */
    public Path node(final String name) {
        run("issue", "node", name);
        return ofNode(name);
    }

    /** Where the files of a node are that has got some. */
    public Path ofNode(final String name) {
        return directory.resolve("node-" + name);
    }

    /** Gives a member or a node its next certificate, in the same directory. */
    public void renew(final String kind, final String name, final String... options) {
        run(Stream.concat(Stream.of("renew", kind, name), Stream.of(options)).toArray(String[]::new));
    }

    /** Revokes all certificates of a member or a node; {@link #revoked} has the list. */
    public void revoke(final String kind, final String name) {
        run("revoke", kind, name);
    }

    /** Gives the next certificate and revokes the one before, which is in the files of the machine until then. */
    public void replace(final String kind, final String name) {
        final String before = Shell.PLAIN.run("openssl", "x509", "-noout", "-serial", "-in",
            directory.resolve(kind + "-" + name).resolve("certificate.pem").toString()).strip();
        renew(kind, name, "--new-key");
        run("revoke", kind, name, "--serial", before.substring(before.indexOf('=') + 1));
    }

    /** The list of what is revoked. */
    public Path revoked() {
        return directory.resolve("crl.pem");
    }

    /** Puts a certificate that has just ended in the place of one. */
    public void expire(final String kind, final String name) {
        python("-c", EXPIRE, directory.toString(), directory.resolve(kind + "-" + name).toString(), kind, name);
    }

    private void run(final String... words) {
        python(Stream.concat(Stream.of("-m", "penstock_pki", "--directory", directory.toString()), Stream.of(words))
            .toArray(String[]::new));
    }

    private static void python(final String... words) {
        final Path root = root();
        Shell.PLAIN.with("PYTHONPATH", root.resolve("karaf") + ":" + root.resolve("ovs-config"))
            .with("PYTHONDONTWRITEBYTECODE", "1")
            .run(Stream.concat(Stream.of("/usr/bin/python3"), Stream.of(words)).toArray(String[]::new));
    }

    /** Tests run in the directory of their module. */
    private static Path root() {
        Path place = Path.of("").toAbsolutePath();
        while (!Files.isExecutable(place.resolve("penstock"))) {
            place = requireNonNull(place.getParent(), "not within the source tree");
        }
        return place;
    }
}
