// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Names of functions, from the tenant to the backbone.
 *
 * @param branch where connections leave these functions for others
 */
public record Chain(String name, List<String> functions, Optional<Branch> branch) {
    /**
     * Behind the second output of a function of the chain, instead of what stands behind its first one.
     *
     * @param at the function that decides
     * @param functions from there to the backbone; none to leave the chain there
     */
    public record Branch(String at, List<String> functions) {
        public Branch {
            functions = List.copyOf(functions);
        }
    }

    public Chain {
        functions = List.copyOf(functions);
    }

    /** One without a branch. */
    public Chain(final String name, final List<String> functions) {
        this(name, functions, Optional.empty());
    }

    /** All its functions, those of the branch last. */
    public List<String> all() {
        return Stream.concat(functions.stream(), branch.stream().flatMap(each -> each.functions().stream())).toList();
    }

    /** The functions that a connection passes which takes the branch. */
    public List<String> alongBranch() {
        return branch.map(each -> Stream.concat(functions.stream().limit(functions.indexOf(each.at()) + 1L),
            each.functions().stream()).toList()).orElse(functions);
    }
}
