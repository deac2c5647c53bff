// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/** The instances of functions that a connection keeps in its ct_label, or the output by which it leaves one. */
public final class KeptInstances {
    private static final int PLACE_BITS = Register.INSTANCE.range().bits();

    private KeptInstances() {
        // Only functions.
    }

    /**
     * Where a connection keeps an instance, or an output, by its port.
     *
     * @param place 0 to {@link Constants#MOST_KEEPING} - 1
     */
    public static FieldRange label(final int place) {
        final int low = place * PLACE_BITS;
        return new FieldRange(MatchField.CT_LABEL, low + PLACE_BITS - 1, low);
    }

    /**
     * Has the connection of an IP packet keep the instance that is in the register. A copy of the packet does it: it
     * ends there, and so do fragments that conntrack releases with it.
     */
    static List<Action> keepByCopy(final int place) {
        return List.of(new Action.Resubmit(Table.FRAGMENTS), new Action.Clone(List.of(new Action.KeepLabel(
            Register.ZONE.range(), new Action.Move(Register.INSTANCE.range(), label(place))))));
    }

    /** Behind connection tracking: what the connection keeps goes into the register. */
    static void read(final FlowSink sink, final Table table, final Table next) {
        for (int place = 0; place < Constants.MOST_KEEPING; place++) {
            sink.flow(table, Priority.NORMAL, "kept at " + place).when(Register.PLACE.is(place))
                .then(new Action.Move(label(place), Register.INSTANCE.range())).go(next);
        }
    }

    /** A label of a connection with the instance of a function at a place. */
    static BigInteger keep(final NodeView node, final Instance instance, final int place, final BigInteger label) {
        final int low = label(place).low();
        final BigInteger bits = BigInteger.valueOf(1 << PLACE_BITS).subtract(BigInteger.ONE).shiftLeft(low);
        return label.andNot(bits).or(BigInteger.valueOf(node.port(instance.insidePort())).shiftLeft(low));
    }

    /** The port that a label of a connection tells; 0 for none. */
    static int kept(final int place, final BigInteger label) {
        return label.shiftRight(label(place).low()).intValue() & (1 << PLACE_BITS) - 1;
    }

    /** The instance of a function that a label of a connection tells, should it work; see {@link #label}. */
    static Optional<Instance> kept(final NodeView node, final NetworkFunction function, final int place,
            final BigInteger label) {
        final int port = kept(place, label);
        return node.working(function).stream().filter(instance -> node.port(instance.insidePort()) == port).findFirst();
    }
}
