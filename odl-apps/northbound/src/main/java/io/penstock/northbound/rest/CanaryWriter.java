// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.rest;

import io.penstock.operations.CanaryStatus;
import io.penstock.operations.CanaryStatus.CanarySide;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.Counter64;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.DateAndTime;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.SideReport;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.function.Canary;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.function.Canary.State;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.function.CanaryBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.function.canary.NewVersionBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.function.canary.OldVersion;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.status.output.function.canary.OldVersionBuilder;
import org.opendaylight.yangtools.yang.common.Decimal64;
import org.opendaylight.yangtools.yang.common.Uint32;
import org.opendaylight.yangtools.yang.common.Uint64;

/** New versions of functions in the words of the model. */
final class CanaryWriter {
    private CanaryWriter() {
        // Only functions.
    }

    static Canary canary(final CanaryStatus canary) {
        final CanaryBuilder builder = new CanaryBuilder().setVersion(canary.version())
            .setState(State.ofName(canary.state())).setConfigured(canary.configured()).setReason(canary.reason())
            .setMeasured(Uint32.valueOf(canary.measuredSeconds()))
            .setOldVersion(side(canary.old()))
            .setNewVersion(new NewVersionBuilder((SideReport) side(canary.canary())).build());
        if (canary.decided().isEmpty()) {
            builder.setSecondsLeft(Uint32.valueOf(canary.secondsLeft()));
        } else {
            builder.setDecided(new DateAndTime(canary.decided()));
        }
        return builder.build();
    }

    private static OldVersion side(final CanarySide side) {
        return new OldVersionBuilder().setInstance(side.instances())
            .setPacketsIn(counter(side.packetsIn())).setPacketsOut(counter(side.packetsOut()))
            .setDropped(percent(side.droppedPercent()))
            .setProbes(Uint32.valueOf(side.probes())).setLost(Uint32.valueOf(side.lost()))
            .setLoss(percent(side.lossPercent()))
            .setMedianRoundTrip(micros(side.medianMicros())).setHighRoundTrip(micros(side.highMicros())).build();
    }

    private static Counter64 counter(final long value) {
        return new Counter64(Uint64.valueOf(value));
    }

    private static Decimal64 percent(final double value) {
        return Decimal64.valueOf(BigDecimal.valueOf(value).setScale(2, RoundingMode.HALF_UP));
    }

    private static @Nullable Uint32 micros(final long value) {
        return value == 0 ? null : Uint32.valueOf(value);
    }
}
