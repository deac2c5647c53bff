// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Range;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whether hosts get leases. */
final class DhcpCheck implements Check {
    private static final String NO_ADDRESS = "no free address";
    private static final String QUOTA = "limit of leases";

    @Override
    public void look(final Subject subject, final Walk walk) {
        final Tenant tenant = subject.tenant();
        final Optional<Dhcp> dhcp = tenant.services().dhcp();
        if (dhcp.isEmpty()) {
            return;
        }
        final long bound = subject.leases().filter(Lease::isBound).count();
        final Optional<Integer> most = tenant.protection().quota().mostLeases();
        if (most.isPresent() && bound >= most.orElseThrow()) {
            say(subject, walk, asked(subject, QUOTA), Cause.DHCP_QUOTA, "Tenant " + tenant.name() + " has " + bound
                + " leases, as many as its quota permits, so further hosts get none.", "Raise the quota of leases.");
        }
        dhcp.orElseThrow().subnets().forEach(subnet -> pool(subject, subnet, walk));
        subject.facts().dhcp().entrySet().stream().sorted(Map.Entry.comparingByKey())
            .filter(each -> !each.getKey().contains(NO_ADDRESS) && !each.getKey().contains(QUOTA))
            .forEach(each -> walk.notice(Stage.LEASE, Cause.DHCP_UNANSWERED, "The DHCP server of tenant "
                + tenant.name() + " has not answered messages in the last minutes: " + each.getKey() + ".",
                "Compare the messages of the host with the reason."));
    }

    private static void pool(final Subject subject, final Dhcp.Subnet subnet, final Walk walk) {
        List<Range> free = subnet.pools();
        for (final Range excluded : subnet.exclusions()) {
            free = free.stream().flatMap(range -> range.without(excluded)).toList();
        }
        final long size = free.stream().mapToLong(DhcpCheck::size).sum();
        if (size == 0) {
            return;
        }
        final List<Lease> used = subject.leases().filter(lease -> lease.state() != Lease.State.FREE
            && subnet.handsOut(lease.address())).toList();
        if (used.size() >= size) {
            final long declined = used.stream().filter(lease -> !lease.isBound()).count();
            say(subject, walk, asked(subject, NO_ADDRESS), Cause.DHCP_POOL_EMPTY, (size == 1 ? "The only address"
                : "All " + size + " addresses") + " of the DHCP pool of subnet " + subnet.prefix()
                + (size == 1 ? " is" : " are") + " in use"
                + (declined > 0 ? ", " + declined + " of them by hosts without a lease" : "")
                + ", so further hosts get none.", "Enlarge the pool, shorten the lease time, or release leases.");
        } else {
            walk.passes(Stage.LEASE, (size - used.size()) + " of " + size + " addresses of the DHCP pool of subnet "
                + subnet.prefix() + " are free.");
        }
    }

    private static long size(final Range range) {
        return range.last().minus(range.first()) + 1;
    }

    private static boolean asked(final Subject subject, final String reason) {
        return subject.facts().dhcp().keySet().stream().anyMatch(message -> message.contains(reason));
    }

    /** A host that asks gets nothing; those that have addresses go on. */
    private static void say(final Subject subject, final Walk walk, final boolean asked, final Cause cause,
            final String text, final String remedy) {
        if (subject.sender().map(sender -> sender.address().isEmpty() && (sender.named().isEmpty() || asked))
                .orElse(asked)) {
            walk.fails(Stage.LEASE, cause, text, remedy);
        } else {
            walk.notice(Stage.LEASE, cause, text, remedy);
        }
    }
}
