// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.login;

import io.penstock.access.User;
import java.time.Duration;

/** What becomes of the login of a request. */
public sealed interface Login {
    /** The user has proved who it is. */
    record Accepted(User user) implements Login { }

    /** Name and password are missing or wrong. */
    record Refused(String name) implements Login { }

    /** Too many have failed: this one is not looked at, whether it is right or wrong. */
    record Later(String name, Duration pause) implements Login { }

    /** Accounts have not been read yet. */
    record NotReady(String name) implements Login { }
}
