// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** What the flows and meters of both nodes and the services of the controller have counted since a moment. */
final class Ledger {
    /**
     * By how much two flows may differ. When a cached flow is deleted, the packets that a forwarding thread has at that
     * moment are not counted; fourteen of sixty thousand were the most on a machine with fifteen times its load.
     */
    private static final double TOLERATED_PERCENT = 0.1;

    private static final Pattern NEXT = Pattern.compile("(?:goto_table:|resubmit\\(,)([a-z0-9_]+)");
    private static final List<String> FATES = List.of("taken", "ignored", "malformed", "failed");
    /** Meters behind which a packet goes to the controller and nowhere else. */
    private static final Set<String> IN_FRONT_OF_CONTROLLER =
        Set.of("host-configuration", "neighbour", "error", "block-requests", "backbone-neighbours",
            "backbone-errors");
    /** The meter between {@link Table#CLASSIFY} and the next table, which has a lookup of its own behind it. */
    private static final String SLOW_PATH = "slow-path";
    /** Tables that packets enter from flows alone: no packet-out and no connection tracking leads to them. */
    private static final List<Table> ENTERED_FROM_FLOWS = List.of(Table.ACCESS_GUARD, Table.ACCESS_LEARN,
        Table.ND_GUARD, Table.ND_LEARN, Table.ARP_REPLY, Table.ND_REPLY, Table.ND_ANSWER, Table.L2_LOOKUP,
        Table.L2_FORWARD, Table.GATEWAY, Table.DHCP_REQUEST, Table.IPV6_REQUEST, Table.ROUTING_ERROR);

    private final EdgeSystem system;
    private final Map<Key, Long> before;

    /** A counter. Of a flow: its table, its label, and its text. */
    private record Key(String kind, String name, String detail, String text) {
        boolean isFlow(final Table table) {
            return kind.equals("flow") && name.equals(table.text());
        }

        boolean isOf(final int vrf) {
            return text.contains("cookie=0x%x,".formatted(Cookie.of(Cookie.Kind.TENANT, vrf)));
        }
    }

    /** Begins now. */
    Ledger(final EdgeSystem system) {
        this.system = system;
        before = count();
    }

    private Map<Key, Long> count() {
        // Flows are credited with packets of the datapath after a while.
        system.nodes().forEach(EdgeNode::settle);
        final Map<Key, Long> counted = new HashMap<>();
        list("flows", "flow").forEach(flow -> counted.merge(new Key("flow", text(flow, "table"), text(flow, "label"),
            text(flow, "node") + ' ' + text(flow, "text")), flow.get("packets").getAsLong(), Long::sum));
        list("limits", "limit").forEach(limit -> counted.merge(new Key("meter", text(limit, "meter"), "", ""),
            limit.get("dropped-packets").getAsLong(), Long::sum));
        list(system.restconf().call("status", "{}").getAsJsonObject("controller"), "packet-in").forEach(service ->
            FATES.forEach(fate -> counted.put(new Key("service", text(service, "service"), fate, ""),
                service.get(fate).getAsLong())));
        list("dhcp-messages", "count").forEach(message -> counted.put(new Key("message", text(message, "tenant"),
            text(message, "message"), ""), message.get("messages").getAsLong()));
        // Packets for the controller that a switch dropped because too many waited to be sent.
        counted.put(new Key("overflow", "", "", ""), system.nodes().stream().mapToLong(node -> Long.parseLong(
            node.ovs().appctl("coverage/read-counter", "rconn_overflow").strip())).sum());
        return counted;
    }

    private Stream<JsonObject> list(final String rpc, final String name) {
        return list(system.restconf().call(rpc, "{}"), name);
    }

    private static Stream<JsonObject> list(final JsonObject owner, final String name) {
        return owner.has(name)
            ? StreamSupport.stream(owner.getAsJsonArray(name).spliterator(), false).map(JsonElement::getAsJsonObject)
            : Stream.empty();
    }

    private static String text(final JsonObject entry, final String leaf) {
        return entry.has(leaf) ? entry.get(leaf).getAsString() : "";
    }

    private Reading read() {
        final Map<Key, Long> since = new HashMap<>();
        count().forEach((key, packets) -> since.put(key, packets - before.getOrDefault(key, 0L)));
        return new Reading(since);
    }

    /** Reads all counters until they add up, for not all are read at the same moment; fails if they do not. */
    Reading balanced(final Duration limit) {
        final AtomicReference<Reading> last = new AtomicReference<>();
        Await.until("every packet is accounted for", limit, () -> {
            last.set(read());
            return last.get().unbalanced();
        }, List::isEmpty);
        return last.get();
    }

    /** What was counted since the beginning. */
    record Reading(Map<Key, Long> since) {
        private long sum(final Predicate<Key> keys) {
            return since.entrySet().stream().filter(entry -> keys.test(entry.getKey())).mapToLong(Map.Entry::getValue)
                .sum();
        }

        /** Packets that flows of a VRF in a table have met, by labels of the flows. */
        long packets(final Table table, final int vrf, final Predicate<String> labels) {
            return sum(key -> key.isFlow(table) && key.isOf(vrf) && labels.test(key.detail()));
        }

        /** What a service of the controller has counted, by what became of the packets. */
        long service(final String service, final String fate) {
            return sum(key -> key.kind().equals("service") && key.name().equals(service)
                && key.detail().equals(fate));
        }

        /** All packets of a service. */
        long service(final String service) {
            return sum(key -> key.kind().equals("service") && key.name().equals(service));
        }

        /** Packets on which services of the controller failed. */
        long failed() {
            return sum(key -> key.kind().equals("service") && key.detail().equals("failed")
                || key.kind().equals("message") && key.detail().equals("dropped: failed"));
        }

        /** Messages that the DHCP server of a tenant has counted. */
        long messages(final String tenant) {
            return sum(key -> key.kind().equals("message") && key.name().equals(tenant));
        }

        /** The same of one kind of message and answer. */
        long messages(final String tenant, final String message) {
            return sum(key -> key.kind().equals("message") && key.name().equals(tenant)
                && key.detail().equals(message));
        }

        /** Packets that meters dropped. */
        long metered(final String meter) {
            return sum(key -> key.kind().equals("meter") && key.name().equals(meter));
        }

        /** Packets for the controller that a switch dropped. */
        long overflow() {
            return sum(key -> key.kind().equals("overflow"));
        }

        private long entering(final Table table) {
            return since.entrySet().stream().filter(entry -> entry.getKey().kind().equals("flow"))
                .mapToLong(entry -> entry.getValue() * NEXT.matcher(entry.getKey().text()).results()
                    .filter(next -> next.group(1).equals(table.text())).count()).sum();
        }

        /** The equations that do not hold, with their numbers. */
        private List<String> unbalanced() {
            final List<String> wrong = new ArrayList<>();
            for (final Table table : ENTERED_FROM_FLOWS) {
                final long metered = table == Table.ACCESS_GUARD ? metered(SLOW_PATH) : 0;
                close(table.text() + ": entered = met" + (metered == 0 ? "" : " + meter drops"), entering(table),
                    sum(key -> key.isFlow(table)) + metered, wrong);
            }
            equal("to the controller = meter drops + overflow + counted by services",
                sum(key -> key.kind().equals("flow") && key.text().contains("CONTROLLER:")),
                sum(key -> key.kind().equals("meter") && IN_FRONT_OF_CONTROLLER.contains(key.name())) + overflow()
                    + sum(key -> key.kind().equals("service")), wrong);
            equal("dhcp taken = messages", service("dhcp", "taken"),
                sum(key -> key.kind().equals("message")), wrong);
            return wrong;
        }

        private static void close(final String what, final long left, final long right, final List<String> wrong) {
            if (Math.abs(left - right) * 100 > TOLERATED_PERCENT * Math.max(left, right)) {
                wrong.add(what + ": " + left + " and " + right);
            }
        }

        private static void equal(final String what, final long left, final long right, final List<String> wrong) {
            if (left != right) {
                wrong.add(what + ": " + left + " and " + right);
            }
        }
    }
}
