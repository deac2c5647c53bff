// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.servlet.http.HttpServletRequest;
import org.apache.shiro.SecurityUtils;
import org.apache.shiro.authc.AuthenticationException;
import org.apache.shiro.authc.Authenticator;
import org.apache.shiro.authc.UsernamePasswordToken;

/** Asks the realms that accepted the request, whichever are configured in AAA. Its filter has told the thread which. */
final class ShiroUsers implements Users {
    private static final String BASIC = "Basic";

    @Override
    public boolean accept(final HttpServletRequest request) {
        return accept(request, SecurityUtils.getSecurityManager());
    }

    static boolean accept(final HttpServletRequest request, final Authenticator realms) {
        final String header = request.getHeader("Authorization");
        final String[] parts = header == null ? new String[0] : header.strip().split(" +", 2);
        if (parts.length < 2 || !parts[0].equalsIgnoreCase(BASIC)) {
            return false;
        }
        try {
            final String[] words = new String(Base64.getDecoder().decode(parts[1]), StandardCharsets.UTF_8)
                .split(":", 2);
            return words.length == 2
                && realms.authenticate(new UsernamePasswordToken(words[0], words[1], request.getRemoteHost())) != null;
        } catch (AuthenticationException | IllegalArgumentException e) {
            return false;
        }
    }
}
