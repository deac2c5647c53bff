// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static java.util.Objects.requireNonNull;

import io.penstock.events.EventSink;
import io.penstock.events.OperatorEvent;
import io.penstock.journal.Change;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * All collectors of a controller, with what is sent to each. Only the controller that leads reports changes, so each
 * is exported once. Safe for all threads; never blocks.
 */
public final class Exporters implements EventSink, AutoCloseable {
    /** Between attempts to connect with a collector. */
    static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int MOST_IPFIX = 2;

    private final Clock clock;
    private final List<Exporter<Change>> natSyslog;
    private final List<Exporter<OperatorEvent>> eventSyslog;
    private final List<Exporter<FlowRecord>> natIpfix;

    /**
     * The addresses of collectors, as the settings have them; none when empty.
     *
     * @param natSyslog of the journal, by syslog
     * @param natIpfix of the journal and its events, by IPFIX; two with a comma between them
     * @param eventSyslog of events, by syslog
     */
    public record Addresses(String natSyslog, String natIpfix, String eventSyslog) {
        public Addresses {
            requireNonNull(natSyslog);
            requireNonNull(natIpfix);
            requireNonNull(eventSyslog);
        }
    }

    /** What an exporter has done: the setting that asked for it, where it sends records, and how many. */
    public record Count(String setting, Collector collector, long sent, long lost) { }

    /**
     * Begins.
     *
     * @param host name of this machine, for syslog
     * @throws IllegalArgumentException when an address is none
     */
    public Exporters(final Addresses addresses, final String host, final Clock clock) {
        this.clock = requireNonNull(clock);
        natSyslog = syslog(addresses.natSyslog(), new NatSyslog(host));
        eventSyslog = syslog(addresses.eventSyslog(), new EventSyslog(host, clock));
        final List<Collector> collectors = collectors(addresses.natIpfix());
        if (collectors.size() > MOST_IPFIX) {
            throw new IllegalArgumentException("nat-ipfix has more than " + MOST_IPFIX + " collectors");
        }
        natIpfix = collectors.stream().<Exporter<FlowRecord>>map(collector -> collector.isStream()
            ? new TcpExporter<>(collector, () -> new IpfixMessages(clock, false), PAUSE)
            : new UdpExporter<>(collector, new IpfixMessages(clock, true))).toList();
    }

    private static <T> List<Exporter<T>> syslog(final String address, final Function<List<T>, List<Payload>> format) {
        return collectors(address).stream().<Exporter<T>>map(collector -> {
            if (collector.isStream()) {
                throw new IllegalArgumentException("'" + address + "': syslog is sent over UDP alone");
            }
            return new UdpExporter<>(collector, format);
        }).toList();
    }

    private static List<Collector> collectors(final String addresses) {
        return Stream.of(addresses.split(",")).map(String::strip).filter(text -> !text.isEmpty())
            .map(Collector::parse).toList();
    }

    /** Sends changes that were written into the journal. */
    public void tell(final List<Change> changes) {
        natSyslog.forEach(exporter -> exporter.accept(changes));
        send(changes.stream().map(NatRecords::of).flatMap(Optional::stream).toList());
    }

    @Override
    public void tell(final OperatorEvent event) {
        eventSyslog.forEach(exporter -> exporter.accept(List.of(event)));
        send(NatRecords.of(event, clock.instant()).stream().toList());
    }

    private void send(final List<FlowRecord> records) {
        if (!records.isEmpty()) {
            natIpfix.forEach(exporter -> exporter.accept(records));
        }
    }

    /** What was sent and lost, by collector. */
    public List<Count> counts() {
        return Stream.of(counts("nat-syslog", natSyslog), counts("nat-ipfix", natIpfix),
            counts("event-syslog", eventSyslog)).flatMap(Function.identity()).toList();
    }

    private static <T> Stream<Count> counts(final String setting, final List<Exporter<T>> exporters) {
        return exporters.stream().map(each -> new Count(setting, each.collector(), each.sent(), each.lost()));
    }

    @Override
    public void close() {
        Stream.of(natSyslog, natIpfix, eventSyslog).flatMap(List::stream).forEach(Exporter::close);
    }
}
