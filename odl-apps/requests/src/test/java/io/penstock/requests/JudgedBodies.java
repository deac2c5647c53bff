// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/** What the filter says of bodies, for tests that have no web server. */
public final class JudgedBodies {
    private final Bodies bodies;

    /** Bodies by the models of a controller. */
    public JudgedBodies(final EffectiveModelContext models) {
        bodies = new Bodies(() -> models);
    }

    /** Why the body of a change is refused, if it is. */
    public Optional<String> refusal(final String method, final String path, final String document) {
        return bodies.refusal(path, method.equals("POST"), document.getBytes(StandardCharsets.UTF_8))
            .map(Refusal::message);
    }
}
