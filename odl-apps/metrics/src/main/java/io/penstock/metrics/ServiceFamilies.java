// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import io.penstock.engine.state.FunctionState;
import io.penstock.engine.state.PoolState;
import io.penstock.functions.health.Probed;
import io.penstock.operations.ControllerStatus.PacketInCount;
import java.util.Map;
import java.util.stream.Stream;

/** What is known of functions, pools, and the services that answer packets. */
final class ServiceFamilies {
    private static final String FUNCTION = "function";
    private static final String INSTANCE = "function_instance";

    private final Family up = Family.gauge("penstock_function_up", "Whether packets pass a function.", FUNCTION);
    private final Family ports = Family.gauge("penstock_instance_ports_up",
        "Whether all ports of an instance of a function have links.", FUNCTION, INSTANCE);
    private final Family healthy = Family.gauge("penstock_instance_healthy",
        "Whether an instance of a function answers probes, if it is probed.", FUNCTION, INSTANCE);
    private final Family probes = Family.counter("penstock_probes",
        "Probes through an instance of a function, by result.", FUNCTION, INSTANCE, "result");
    private final Family failures = Family.counter("penstock_instance_failures",
        "Times that an instance of a function was healthy and then was not.", FUNCTION, INSTANCE);
    private final Family size = Family.gauge("penstock_pool_addresses", "Addresses of a pool.", "pool");
    private final Family used = Family.gauge("penstock_pool_used_addresses", "Addresses of a pool in use.", "pool");
    private final Family packetIns = Family.counter("penstock_packet_ins",
        "Packets that switches have sent to the controller, by the service that takes them and what became of them.",
        "service", "fate");
    private final Family icmp = Family.counter("penstock_icmp_errors",
        "Packets of which a router may have to tell the sender, by what became of them.", "fate");
    private final Family dhcp = Family.counter("penstock_dhcp_messages",
        "Messages to the DHCP servers of all tenants, by what they led to.", "message");

    void function(final String name, final FunctionState state) {
        up.add(state.kind() == FunctionState.Kind.UP, name);
        state.instances().forEach(each -> {
            ports.add(each.portsUp(), name, each.name());
            healthy.add(each.answersProbes(), name, each.name());
        });
    }

    void probed(final String function, final String instance, final Probed total) {
        probes.add(total.roundTrips().count(), function, instance, "answered")
            .add(total.lost(), function, instance, "lost");
        failures.add(total.failures(), function, instance);
    }

    void pool(final String name, final PoolState state) {
        size.add(state.size(), name);
        used.add(state.used(), name);
    }

    void packetIns(final String service, final PacketInCount count) {
        packetIns.add(count.taken(), service, "taken").add(count.ignored(), service, "ignored")
            .add(count.malformed(), service, "malformed").add(count.failed(), service, "failed");
    }

    void icmpErrors(final Map<String, Long> counts) {
        counts.forEach((fate, count) -> icmp.add(count, fate));
    }

    void dhcp(final Map<String, Long> counts) {
        counts.forEach((message, count) -> dhcp.add(count, message));
    }

    Stream<Family> all() {
        return Stream.of(up, ports, healthy, probes, failures, size, used, packetIns, icmp, dhcp);
    }
}
