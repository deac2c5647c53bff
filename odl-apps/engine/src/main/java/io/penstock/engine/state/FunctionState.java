// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import java.util.List;

/** A network function and its instances, in the order of the configuration. */
public record FunctionState(Kind kind, List<Instance> instances) implements Status<FunctionState> {
    /** Whether packets pass a function. */
    public enum Kind {
        /** An instance gets packets. */
        UP,
        /** None can. */
        DOWN,
        /** Its node is not connected. */
        WAITING
    }

    /** An instance: whether all its ports have links, and whether it answers probes if it is probed. */
    public record Instance(String name, boolean portsUp, boolean answersProbes) { }

    @Override
    public boolean isLike(final FunctionState other) {
        return kind == other.kind;
    }
}
