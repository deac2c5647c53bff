// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.request;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.hash.HashCode;
import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import java.security.SecureRandom;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * The users and passwords that OpenDaylight accepted lately. It checks them after this filter, when the body of a
 * request has been read; so a header by itself proves nothing. Keeps hashes with a random key, no passwords. Safe for
 * all threads.
 */
final class KnownSenders {
    /** The paths that OpenDaylight answers to known users alone ({@code WebInitializer} of restconf-nb). */
    private static final String CONTEXT = "/rests";
    private static final String HEADER = "Authorization";
    private static final int MOST = 1000;
    private static final int KEY_BYTES = 32;

    private final HashFunction hash;
    private final Cache<HashCode, Boolean> accepted = CacheBuilder.newBuilder().maximumSize(MOST).build();

    KnownSenders() {
        final byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        hash = Hashing.hmacSha256(key);
    }

    /** Whether a request names a user and a password, or a session, that may be right. */
    static boolean isNamed(final HttpServletRequest request) {
        return request.getHeader(HEADER) != null || request.isRequestedSessionIdValid();
    }

    /** Whether a request comes from a session, or has a user and a password that were accepted last time. */
    boolean knows(final HttpServletRequest request) {
        final HashCode key = key(request);
        return request.isRequestedSessionIdValid() || key != null && accepted.getIfPresent(key) != null;
    }

    /** Takes over from an answer whether the user and the password were accepted. */
    void learn(final HttpServletRequest request, final HttpServletResponse answer) {
        final HashCode key = key(request);
        // OPTIONS is answered to strangers too (ODLHttpAuthenticationHelperFilter of aaa-shiro).
        if (key == null || !CONTEXT.equals(request.getContextPath()) || "OPTIONS".equals(request.getMethod())) {
            return;
        }
        if (answer.getStatus() == HttpServletResponse.SC_UNAUTHORIZED) {
            accepted.invalidate(key);
        } else if (answer.getStatus() < HttpServletResponse.SC_INTERNAL_SERVER_ERROR) {
            accepted.put(key, true);
        }
    }

    private @Nullable HashCode key(final HttpServletRequest request) {
        final String header = request.getHeader(HEADER);
        return header == null ? null : hash.hashUnencodedChars(header);
    }
}
