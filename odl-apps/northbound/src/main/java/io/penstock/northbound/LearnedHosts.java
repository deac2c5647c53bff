// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import io.penstock.configuration.Desired;
import io.penstock.operations.LearnedHost;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.InstalledFlow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Reads hosts from the flows that a switch learns of them: {@code l2_hosts} and {@code neighbours}. */
final class LearnedHosts {
    private static final int VLAN_BITS = 12;
    /** From the first 32 bits to the last. */
    private static final List<MatchField> NEXT_HOP6 = Register.NEXT_HOP6.range().field().parts();

    private record Host(long place, Mac mac) { }

    private LearnedHosts() {
        // Only functions.
    }

    /** The hosts of a tenant on a node, by attachment and MAC address. */
    static List<LearnedHost> of(final Desired desired, final String node, final Tenant tenant,
            final List<InstalledFlow> learned) {
        final SortedMap<Host, Long> ages =
            new TreeMap<>(Comparator.comparingLong(Host::place).thenComparingLong(host -> host.mac().number()));
        final Map<Host, List<String>> addresses = new TreeMap<>(ages.comparator());
        for (final InstalledFlow installed : learned) {
            final FlowSpec flow = installed.flow();
            final long place = loaded(flow, Register.OUT_ATTACHMENT.range());
            if (flow.table() == Table.NEIGHBOURS) {
                final Host host = new Host(place, new Mac(loaded(flow, MatchField.ETH_DST.range())));
                ages.merge(host, installed.ageSeconds(), Math::max);
                addresses.computeIfAbsent(host, each -> new ArrayList<>()).add(address(flow));
            } else {
                ages.merge(new Host(place, new Mac(matched(flow, MatchField.ETH_DST))), installed.ageSeconds(),
                    Math::max);
            }
        }
        return ages.entrySet().stream().map(each -> new LearnedHost(node,
            attachment(desired, node, tenant, each.getKey().place()), each.getKey().mac().toString(),
            addresses.getOrDefault(each.getKey(), List.of()).stream().sorted().toList(), each.getValue())).toList();
    }

    /** The next hops of the learned flows of neighbours, as text. */
    static Set<String> nextHops(final List<InstalledFlow> learned) {
        return learned.stream().map(each -> address(each.flow())).collect(Collectors.toSet());
    }

    private static String address(final FlowSpec flow) {
        final boolean isV4 = flow.matches().stream()
            .anyMatch(match -> match.field() == Register.NEXT_HOP.range().field());
        return isV4 ? new Ipv4(matched(flow, Register.NEXT_HOP.range().field())).toString()
            : new Ipv6(words(flow, NEXT_HOP6.get(0), NEXT_HOP6.get(1)),
                words(flow, NEXT_HOP6.get(2), NEXT_HOP6.get(3))).toString();
    }

    private static long words(final FlowSpec flow, final MatchField first, final MatchField second) {
        return matched(flow, first) << Integer.SIZE | matched(flow, second);
    }

    private static long matched(final FlowSpec flow, final MatchField field) {
        return flow.matches().stream().filter(match -> match.field() == field).mapToLong(FieldMatch::value)
            .findFirst().orElse(0);
    }

    private static long loaded(final FlowSpec flow, final FieldRange target) {
        return flow.actions().stream().filter(Action.Load.class::isInstance).map(Action.Load.class::cast)
            .filter(load -> load.target().equals(target)).mapToLong(Action.Load::value).findFirst().orElse(0);
    }

    private static String attachment(final Desired desired, final String node, final Tenant tenant,
            final long place) {
        final int number = (int) (place >> VLAN_BITS);
        final int vlan = (int) (place & (1 << VLAN_BITS) - 1);
        final String port = desired.allocations().ports().getOrDefault(node, Collections.emptySortedMap()).entrySet()
            .stream().filter(each -> each.getValue() == number).map(Map.Entry::getKey).findFirst()
            .orElse(String.valueOf(number));
        return tenant.attachments().stream().filter(each -> each.node().equals(node) && each.port().equals(port)
            && each.vlan() == vlan).map(Tenant.Attachment::name).findFirst().orElse(port + "/" + vlan);
    }
}
