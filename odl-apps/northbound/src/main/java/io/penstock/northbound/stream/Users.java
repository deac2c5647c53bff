// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import javax.servlet.http.HttpServletRequest;

/** The users of the web server. */
@FunctionalInterface
interface Users {
    /**
     * Whether the user and the password of a request would be accepted now.
     *
     * @param request that was accepted once, for the thread that serves it
     */
    boolean accept(HttpServletRequest request);
}
