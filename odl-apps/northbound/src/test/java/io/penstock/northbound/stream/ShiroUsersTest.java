// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.apache.shiro.authc.Authenticator;
import org.apache.shiro.authc.pam.ModularRealmAuthenticator;
import org.apache.shiro.realm.SimpleAccountRealm;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Users of a realm of Shiro. */
class ShiroUsersTest {
    private final SimpleAccountRealm realm = new SimpleAccountRealm();
    private final ModularRealmAuthenticator realms = new ModularRealmAuthenticator();

    @BeforeEach
    void addUser() {
        realms.setRealms(List.of(realm));
        realm.addAccount("admin", "pass:word");
    }

    private static boolean accepts(final Authenticator realms, final String header) {
        final Request request = new Request(null, null) {
            @Override
            public String getHeader(final String name) {
                return name.equals("Authorization") ? header : null;
            }

            @Override
            public String getRemoteHost() {
                return "127.0.0.1";
            }
        };
        return ShiroUsers.accept(request, realms);
    }

    private static String basic(final String words) {
        return "Basic " + Base64.getEncoder().encodeToString(words.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aUserIsAcceptedUntilItsPasswordChanges() {
        assertThat(accepts(realms, basic("admin:pass:word"))).isTrue();
        realm.addAccount("admin", "another");
        assertThat(accepts(realms, basic("admin:pass:word"))).isFalse();
        assertThat(accepts(realms, basic("gone:pass:word"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Basic", "Basic !", "Basic YWRtaW4=", "Bearer YWRtaW46cGFzczp3b3Jk"})
    void otherHeadersAreNot(final String header) {
        assertThat(accepts(realms, header)).isFalse();
        assertThat(accepts(realms, null)).isFalse();
    }
}
