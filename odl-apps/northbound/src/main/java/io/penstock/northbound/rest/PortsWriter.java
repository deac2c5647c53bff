// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.rest;

import io.penstock.operations.CapturePlace;
import io.penstock.operations.PortLine;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.Counter64;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.CaptureOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.CaptureOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.PortStatisticsOutput;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.PortStatisticsOutputBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.port.statistics.output.Port;
import org.opendaylight.yang.gen.v1.urn.penstock.operations.rev261121.port.statistics.output.PortBuilder;
import org.opendaylight.yangtools.yang.common.Uint16;
import org.opendaylight.yangtools.yang.common.Uint64;

/** Writes counters of ports, and places of captures. */
final class PortsWriter {
    private PortsWriter() {
        // Only functions.
    }

    static PortStatisticsOutput portStatistics(final List<PortLine> lines) {
        return new PortStatisticsOutputBuilder().setPort(lines.stream().map(PortsWriter::port).toList()).build();
    }

    static CaptureOutput capturePlace(final CapturePlace place) {
        return new CaptureOutputBuilder().setAttachment(place.attachment()).setNode(place.node())
            .setPort(place.port()).setVlan(Uint16.valueOf(place.vlan())).build();
    }

    private static Port port(final PortLine line) {
        return new PortBuilder().setName(line.name()).setUp(line.up())
            .setLinkResets(counter(line.linkResets()))
            .setError(line.error().isEmpty() ? null : line.error())
            .setRxPackets(counter(line, "rx-packets")).setRxBytes(counter(line, "rx-bytes"))
            .setRxDropped(counter(line, "rx-dropped")).setRxErrors(counter(line, "rx-errors"))
            .setTxPackets(counter(line, "tx-packets")).setTxBytes(counter(line, "tx-bytes"))
            .setTxDropped(counter(line, "tx-dropped")).setTxErrors(counter(line, "tx-errors")).build();
    }

    private static @Nullable Counter64 counter(final PortLine line, final String name) {
        final Long count = line.counters().get(name);
        return count == null ? null : counter(count);
    }

    private static Counter64 counter(final long count) {
        return new Counter64(Uint64.saturatedOf(count));
    }
}
