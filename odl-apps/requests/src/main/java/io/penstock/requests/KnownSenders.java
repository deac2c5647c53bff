// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.hash.HashCode;
import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
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
    /** After it a user without an answer is a stranger again; it may have been removed meanwhile. */
    private static final Duration LATELY = Duration.ofMinutes(10);
    private static final int KEY_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final HashFunction hash;
    private final Cache<HashCode, Boolean> accepted = CacheBuilder.newBuilder().maximumSize(MOST)
        .expireAfterWrite(LATELY).build();

    KnownSenders() {
        final byte[] key = new byte[KEY_BYTES];
        RANDOM.nextBytes(key);
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
        if (key == null || !CONTEXT.equals(request.getContextPath())) {
            return;
        }
        if (answer.getStatus() == HttpServletResponse.SC_UNAUTHORIZED) {
            accepted.invalidate(key);
        } else if (isGood(answer)) {
            // An error may come from before the password was looked at, as for a path that Shiro takes for invalid.
            accepted.put(key, true);
        }
    }

    /** Whether a request was carried out. */
    static boolean isGood(final HttpServletResponse answer) {
        return answer.getStatus() >= HttpServletResponse.SC_OK
            && answer.getStatus() < HttpServletResponse.SC_MULTIPLE_CHOICES;
    }

    /**
     * The user whose request was accepted; empty if it came from a session, which OpenDaylight believes without a look
     * at the name in the header.
     */
    static Optional<String> user(final HttpServletRequest request) {
        final String header = request.getHeader(HEADER);
        if (header == null || request.isRequestedSessionIdValid()) {
            return Optional.empty();
        }
        final String[] parts = header.strip().split(" +", 2);
        try {
            return parts.length < 2 ? Optional.empty() : Optional.of(new String(Base64.getDecoder().decode(parts[1]),
                StandardCharsets.UTF_8).split(":", 2)[0]);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private @Nullable HashCode key(final HttpServletRequest request) {
        final String header = request.getHeader(HEADER);
        return header == null ? null : hash.hashUnencodedChars(header);
    }
}
