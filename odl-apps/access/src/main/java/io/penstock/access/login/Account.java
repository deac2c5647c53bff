// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.login;

import io.penstock.access.User;

/** A user with the hash of its password. */
record Account(User user, String hash) { }
