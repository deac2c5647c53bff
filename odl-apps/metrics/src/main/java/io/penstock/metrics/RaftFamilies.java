// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The shards of OpenDaylight's datastore on this member, as its beans tell of them. */
final class RaftFamilies {
    private static final Logger LOG = LoggerFactory.getLogger(RaftFamilies.class);
    private static final String SHARD = "shard";
    private static final ObjectName SHARDS;

    static {
        try {
            SHARDS = new ObjectName("org.opendaylight.controller:Category=Shards,*");
        } catch (MalformedObjectNameException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Family term = Family.gauge("penstock_raft_term",
        "Term of a shard of the datastore, as this member knows it. It grows with each election.", SHARD);
    private final Family leader = Family.gauge("penstock_raft_leader",
        "Whether this member leads a shard of the datastore.", SHARD);
    private final Family changes = Family.counter("penstock_raft_leader_changes",
        "Times that this member has seen another leader of a shard.", SHARD);

    RaftFamilies() {
        final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        final Set<ObjectName> shards = beans.queryNames(SHARDS, null);
        for (final ObjectName each : shards) {
            final String name = each.getKeyProperty("name");
            try {
                final Object current = beans.getAttribute(each, "CurrentTerm");
                final Object role = beans.getAttribute(each, "RaftState");
                final Object count = beans.getAttribute(each, "LeadershipChangeCount");
                term.add(((Number) current).doubleValue(), name);
                leader.add("Leader".equals(role), name);
                changes.add(((Number) count).doubleValue(), name);
            } catch (JMException e) {
                LOG.debug("Shard {} is not read", name, e); // It has just ended.
            }
        }
    }

    Stream<Family> all() {
        return Stream.of(term, leader, changes);
    }
}
