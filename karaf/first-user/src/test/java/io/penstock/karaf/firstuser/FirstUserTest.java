// SPDX-License-Identifier: Apache-2.0
package io.penstock.karaf.firstuser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opendaylight.aaa.api.IIDMStore;
import org.opendaylight.aaa.datastore.h2.H2Store;
import org.opendaylight.aaa.datastore.h2.IdmLightConfigBuilder;
import org.opendaylight.aaa.datastore.h2.IdmLightSimpleConnectionProvider;
import org.opendaylight.aaa.impl.password.service.DefaultPasswordHashService;

class FirstUserTest {
    @TempDir
    private Path directory;

    @Test
    void storeHoldsTheGivenPasswordAndNoOtherUser() throws Exception {
        FirstUser.create(directory.toString(), "admin", "a b$c");

        final var hashes = new DefaultPasswordHashService();
        final var config = new IdmLightConfigBuilder()
            .dbDirectory(directory.toString()).dbUser("foo").dbPwd("bar").build();
        final var users = new H2Store(new IdmLightSimpleConnectionProvider(config), hashes).getUsers().getUsers();
        assertThat(users).hasSize(1);
        final var user = users.get(0);
        assertThat(user.getUserid()).isEqualTo("admin@" + IIDMStore.DEFAULT_DOMAIN);
        assertThat(hashes.passwordsMatch("a b$c", user.getPassword(), user.getSalt())).isTrue();
        assertThat(hashes.passwordsMatch("admin", user.getPassword(), user.getSalt())).isFalse();
    }

    @Test
    void usedStoreIsLeftAlone() throws Exception {
        FirstUser.create(directory.toString(), "admin", "one");
        assertThatThrownBy(() -> FirstUser.create(directory.toString(), "admin", "two"))
            .isInstanceOf(IllegalStateException.class);
    }
}
