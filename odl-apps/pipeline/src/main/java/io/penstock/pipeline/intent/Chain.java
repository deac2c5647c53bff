// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;

/** Names of functions, from the tenant to the backbone. */
public record Chain(String name, List<String> functions) {
    public Chain {
        functions = List.copyOf(functions);
    }
}
