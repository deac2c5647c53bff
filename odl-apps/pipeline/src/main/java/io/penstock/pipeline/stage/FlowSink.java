// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.Contract;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Takes the flows of one stage for one owner, and holds them to the contract of their table. A flow that the contract
 * does not permit, or of a table that the stage does not name, ends the plan with an IllegalStateException: it is a bug
 * of the stage, and a switch must not get it. Not for several threads.
 */
public final class FlowSink {

    private final Stage stage;
    private final Set<Table> tables;
    private final long cookie;
    private final Consumer<PlannedFlow> target;

    /** A sink for a stage, whose flows carry {@code cookie}. */
    public FlowSink(final Stage stage, final long cookie, final Consumer<PlannedFlow> target) {
        this.stage = requireNonNull(stage);
        this.tables = stage.tables();
        this.cookie = cookie;
        this.target = requireNonNull(target);
    }

    /** Begins a flow; one of {@link Draft#go}, {@link Draft#end} and {@link Draft#drop} finishes it. */
    public Draft flow(final Table table, final int priority, final String label) {
        return new Draft(table, priority, label);
    }

    /** A flow being written. */
    public final class Draft {
        private final Table table;
        private final int priority;
        private final String label;
        private final List<FieldMatch> matches = new ArrayList<>();
        private final List<Action> actions = new ArrayList<>();

        private Draft(final Table table, final int priority, final String label) {
            this.table = table;
            this.priority = priority;
            this.label = label;
        }

        /** Adds matches. */
        public Draft when(final FieldMatch... more) {
            return when(Arrays.asList(more));
        }

        /** Adds matches. */
        public Draft when(final List<FieldMatch> more) {
            matches.addAll(more);
            return this;
        }

        /** Adds an exact match. */
        public Draft when(final MatchField field, final long value) {
            return when(FieldMatch.of(field, value));
        }

        /** Adds an exact match on an IPv4 address. */
        public Draft when(final MatchField field, final Ipv4 value) {
            return when(FieldMatch.of(field, value));
        }

        /** Adds an exact match on a MAC address. */
        public Draft when(final MatchField field, final Mac value) {
            return when(FieldMatch.of(field, value));
        }

        /** Adds a match of an address field on a prefix. */
        public Draft when(final MatchField field, final Prefix prefix) {
            return when(FieldMatch.in(field, prefix));
        }

        /** Adds a match of an address field on a prefix. */
        public Draft when(final MatchField field, final Prefix6 prefix) {
            return when(FieldMatch.in(field, prefix));
        }

        /** Only ARP. */
        public Draft arp() {
            return when(MatchField.ETH_TYPE, EtherType.ARP);
        }

        /** Only IPv4. */
        public Draft ipv4() {
            return when(MatchField.ETH_TYPE, EtherType.IPV4);
        }

        /** Only IPv6. */
        public Draft ipv6() {
            return when(MatchField.ETH_TYPE, EtherType.IPV6);
        }

        /** Only a type of ICMPv6. */
        public Draft icmp6(final int type) {
            return ipv6().when(MatchField.IP_PROTO, IpProtocol.ICMPV6).when(MatchField.ICMPV6_TYPE, type);
        }

        /** Adds actions. */
        public Draft then(final Action... more) {
            return then(Arrays.asList(more));
        }

        /** Adds actions. */
        public Draft then(final List<Action> more) {
            actions.addAll(more);
            return this;
        }

        /** Goes on in another table. */
        public void go(final Table next) {
            add(Optional.of(next), true);
        }

        /** Ends with the actions. */
        public void end() {
            add(Optional.empty(), true);
        }

        /** Drops; the flow's counter counts it. */
        public void drop() {
            actions.clear();
            add(Optional.empty(), true);
        }

        /** Drops packets that may end the switch when it sends them anywhere, to the controller too. */
        public void dropUnshown() {
            actions.clear();
            add(Optional.empty(), false);
        }

        private void add(final Optional<Table> next, final boolean shown) {
            final FlowSpec flow = new FlowSpec(table, priority, matches, actions, next, cookie, 0);
            if (!tables.contains(table)) {
                throw refused("is of a table that the stage does not name");
            }
            final Optional<String> breach = Contract.of(table).breach(flow);
            if (breach.isPresent()) {
                throw refused(breach.orElseThrow());
            }
            target.accept(new PlannedFlow(flow, label, shown));
        }

        private IllegalStateException refused(final String why) {
            return new IllegalStateException("table %s, stage %s: flow \"%s\" %s"
                .formatted(table.text(), stage.name(), label, why));
        }
    }
}
