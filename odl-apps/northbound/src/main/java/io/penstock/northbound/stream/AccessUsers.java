// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import static java.util.Objects.requireNonNull;

import io.penstock.access.Access;
import io.penstock.access.Call;
import io.penstock.access.login.Login;
import io.penstock.access.login.Logins;
import javax.servlet.http.HttpServletRequest;

/** Asks the accounts again that accepted the request. */
final class AccessUsers implements Users {
    private final Logins logins;
    private final Access access = new Access();

    AccessUsers(final Logins logins) {
        this.logins = requireNonNull(logins);
    }

    @Override
    public boolean accept(final HttpServletRequest request) {
        return logins.login(request.getHeader("Authorization"), request.getRemoteAddr()) instanceof Login.Accepted
            accepted && access.refusal(accepted.user(), new Call(request.getMethod(), request.getRequestURI(), "",
                new byte[0])).isEmpty();
    }
}
