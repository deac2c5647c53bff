// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.access.Role;
import io.penstock.access.User;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("safety")
class LoginsTest {
    private static final String HERE = "192.0.2.1";
    private static final String ELSEWHERE = "192.0.2.2";
    private static final String PASSWORD = "right horse: battery";
    private static final String ADMINS = "abcdefghijklmnopqrstuvwxyz012345";
    private static final User OPERATOR = new User("op", Role.OPERATOR, Set.of());

    @TempDir
    private Path directory;
    private Optional<Map<String, Account>> accounts =
        Optional.of(Map.of("op", new Account(OPERATOR, Passwords.hash(PASSWORD))));
    private long now;
    private int slowHashes;
    private Logins logins;

    @BeforeEach
    void start() throws IOException {
        Files.writeString(directory.resolve("password"), ADMINS + "\n");
        logins = new Logins(() -> accounts, directory.resolve("password"), () -> now, (password, hash) -> {
            slowHashes++;
            return Passwords.matches(password, hash);
        });
    }

    private Login login(final String name, final String password, final String address) {
        return logins.login("Basic " + Base64.getEncoder().encodeToString((name + ":" + password)
            .getBytes(StandardCharsets.UTF_8)), address);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "Basic", "Basic !", "Bearer b3A6cA==", "Basic b3A=", "Basic OnA="})
    void aHeaderWithoutNameAndPasswordIsRefused(final String header) {
        assertThat(logins.login(header, HERE)).isInstanceOf(Login.Refused.class);
    }

    @Test
    void theRightPasswordIsAcceptedAndAnyOtherIsNot() {
        assertThat(login("op", PASSWORD, HERE)).isEqualTo(new Login.Accepted(OPERATOR));
        assertThat(login("op", PASSWORD + "x", HERE)).isEqualTo(new Login.Refused("op"));
        assertThat(login("op", "", HERE)).isEqualTo(new Login.Refused("op"));
        assertThat(login("none", PASSWORD, HERE)).isEqualTo(new Login.Refused("none"));
    }

    /** A request by a known password costs no slow hash: some microseconds instead of some hundredths of a second. */
    @Test
    void aKnownPasswordIsNotHashedAgain() {
        login("op", PASSWORD, HERE);
        IntStream.range(0, 1000).forEach(each ->
            assertThat(login("op", PASSWORD, HERE)).isEqualTo(new Login.Accepted(OPERATOR)));
        assertThat(slowHashes).isEqualTo(1);
        login("op", PASSWORD + "x", HERE);
        assertThat(slowHashes).isEqualTo(2);
    }

    @Test
    void aKnownPasswordIsForgottenWithItsAccount() {
        login("op", PASSWORD, HERE);
        final Account before = accounts.orElseThrow().get("op");
        accounts = Optional.of(Map.of("op", new Account(new User("op", Role.READER, Set.of()), before.hash())));
        assertThat(login("op", PASSWORD, HERE)).isEqualTo(new Login.Accepted(new User("op", Role.READER, Set.of())));
        accounts = Optional.of(Map.of("op", new Account(OPERATOR, Passwords.hash("another one"))));
        assertThat(login("op", PASSWORD, HERE)).isInstanceOf(Login.Refused.class);
        accounts = Optional.of(Map.of());
        assertThat(login("op", PASSWORD, HERE)).isInstanceOf(Login.Refused.class);
    }

    @Test
    void anAttackerDelaysHimselfAndNotTheUserElsewhere() {
        IntStream.rangeClosed(0, Attempts.FREE_OF_ADDRESS).forEach(each -> login("op", "guess" + each, HERE));
        assertThat(login("op", PASSWORD, HERE)).isInstanceOf(Login.Later.class);
        assertThat(login("op", PASSWORD, ELSEWHERE)).isEqualTo(new Login.Accepted(OPERATOR));
        now += 2_000_000_000L;
        assertThat(login("op", "guess", HERE)).isInstanceOf(Login.Refused.class);
        // A client that has proved its identity goes on, beside an attacker too.
        assertThat(login("op", PASSWORD, HERE)).isEqualTo(new Login.Accepted(OPERATOR));
        IntStream.range(0, 100).forEach(each -> login("admin", "guess" + each, HERE));
        assertThat(login("admin", "guess", HERE)).isInstanceOf(Login.Later.class);
        assertThat(login("admin", ADMINS, HERE)).isEqualTo(new Login.Accepted(LocalAdmin.USER));
    }

    @Test
    void adminsPasswordIsThatOfTheFile() throws IOException {
        assertThat(login("admin", ADMINS, HERE)).isEqualTo(new Login.Accepted(LocalAdmin.USER));
        assertThat(login("admin", "", HERE)).isInstanceOf(Login.Refused.class);
        Files.writeString(directory.resolve("password"), "");
        assertThat(login("admin", "", HERE)).isInstanceOf(Login.Refused.class);
        assertThat(login("admin", ADMINS, HERE)).isInstanceOf(Login.Refused.class);
        Files.delete(directory.resolve("password"));
        assertThat(login("admin", ADMINS, HERE)).isInstanceOf(Login.Refused.class);
        accounts = Optional.of(Map.of("admin", new Account(OPERATOR, Passwords.hash(PASSWORD))));
        assertThat(login("admin", PASSWORD, HERE)).isNotInstanceOf(Login.Accepted.class);
    }

    @Test
    void beforeAccountsAreReadAdminAloneLogsIn() {
        accounts = Optional.empty();
        assertThat(login("op", PASSWORD, HERE)).isInstanceOf(Login.NotReady.class);
        assertThat(login("admin", ADMINS, HERE)).isInstanceOf(Login.Accepted.class);
    }

    @Test
    void hashesDifferAndOddOnesMatchNothing() {
        assertThat(Passwords.hash(PASSWORD)).isNotEqualTo(Passwords.hash(PASSWORD)).startsWith("pbkdf2-sha256$60000$");
        assertThat(Passwords.matches("", Passwords.OF_NONE)).isFalse();
        for (final String odd : Set.of("", PASSWORD, "plain$1$AAAA$AAAA", "pbkdf2-sha256$0$AAAA$AAAA",
                "pbkdf2-sha256$2000000000$AAAA$AAAA", "pbkdf2-sha256$x$AAAA$AAAA", "pbkdf2-sha256$1$!$AAAA",
                "pbkdf2-sha256$1$$AAAA")) {
            assertThat(Passwords.matches(PASSWORD, odd)).isFalse();
        }
    }
}
