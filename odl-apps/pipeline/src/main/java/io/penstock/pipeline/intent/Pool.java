// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;

/** Public addresses to take from. */
public record Pool(String name, List<Prefix> prefixes) {
    public Pool {
        prefixes = List.copyOf(prefixes);
    }
}
