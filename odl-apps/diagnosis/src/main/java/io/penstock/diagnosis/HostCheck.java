// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.diagnosis.Facts.Drops;
import io.penstock.diagnosis.Subject.Address;
import io.penstock.diagnosis.Subject.Sender;
import io.penstock.operations.LearnedHost;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Tenant.Attachment;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Whether the host may use its address, and has sent anything. */
final class HostCheck implements Check {
    /** Begins the labels of flows that drop frames of unknown VLANs (AccessStage). */
    static final String UNKNOWN_VLAN = "unknown VLAN on ";
    /** Label of flows that drop packets from addresses in no subnet (GuardStage). */
    static final String FOREIGN = "source address is not the sender's";
    /** Label of flows that drop packets from addresses without a lease (GuardStage). */
    static final String LEASELESS = "address of a DHCP pool or reservation without a lease";

    @Override
    public void look(final Subject subject, final Walk walk) {
        subject.sender().ifPresentOrElse(sender -> {
            sender.address().ifPresent(address -> source(subject, sender, address, walk));
            silent(subject, sender, walk);
        }, () -> {
            subject.attachments().forEach(at -> vlans(subject, at).ifPresent(text ->
                walk.notice(Stage.HOST, Cause.UNKNOWN_VLAN, text.substring(0, 1).toUpperCase(Locale.ROOT)
                    + text.substring(1) + ".", "Compare the VLANs of the device behind the port with the "
                    + "configuration: VLAN " + at.vlan() + " is expected.")));
            guarded(subject, walk);
        });
    }

    /** Of hosts that the question does not name, the guard tells how many packets it has dropped. */
    private static void guarded(final Subject subject, final Walk walk) {
        subject.tenant().nodes().stream().sorted().forEach(name -> {
            final long foreign = recent(subject, name, FOREIGN);
            if (foreign > 0) {
                walk.fails(Stage.GUARD, Cause.FOREIGN_SOURCE, "A host of tenant " + subject.tenant().name() + " on "
                    + "node "
                    + name + " sends from addresses that are in no subnet and no route of the tenant: " + foreign
                    + " packets were dropped in the last minutes.",
                    "Correct the address of the host, or configure a route to the addresses behind it.");
            }
            final long leaseless = recent(subject, name, LEASELESS);
            if (leaseless > 0) {
                walk.fails(Stage.LEASE, Cause.NO_LEASE, "A host of tenant " + subject.tenant().name() + " on node "
                    + name
                    + " uses an address of a DHCP pool or reservation without a lease: " + leaseless
                    + " packets were dropped in the last minutes.",
                    "Let the host get its address by DHCP, or exclude the address from the pool.");
            }
        });
    }

    private static long recent(final Subject subject, final String node, final String label) {
        return subject.facts().node(node).drops().stream().filter(drops -> drops.label().equals(label))
            .mapToLong(Drops::recent).sum();
    }

    private static void source(final Subject subject, final Sender sender, final Address address, final Walk walk) {
        final Tenant tenant = subject.tenant();
        final List<Attachment> allowed = subject.attachmentsOf(address);
        if (allowed.isEmpty()) {
            walk.fails(Stage.GUARD, Cause.FOREIGN_SOURCE, "Address " + address + " is in no subnet and no route of "
                + "tenant " + tenant.name() + ", so packets from it are dropped.",
                "Give the host an address of its subnet, or configure a route to the addresses behind it.");
            return;
        }
        final boolean isGateway = address.isV4()
            ? tenant.subnets().stream().anyMatch(subnet -> subnet.gateway().equals(address.v4()))
            : tenant.ipv6().subnets().stream().anyMatch(subnet -> subnet.gateway().equals(address.value()));
        if (isGateway) {
            walk.fails(Stage.GUARD, Cause.SOURCE_IS_GATEWAY, "Address " + address + " is that of the gateway, so "
                + "packets of hosts from it are dropped.", "Give the host another address.");
            return;
        }
        final Optional<LearnedHost> elsewhere = sender.seen().stream().filter(host -> allowed.stream()
            .noneMatch(at -> at.name().equals(host.attachment()))).findFirst();
        if (elsewhere.isPresent() && elsewhere.orElseThrow().addresses().contains(address.toString())) {
            walk.fails(Stage.GUARD, Cause.WRONG_ATTACHMENT, "Host " + address + " is at attachment "
                + elsewhere.orElseThrow().attachment() + ", but its subnet is at " + names(allowed) + ".",
                "Move the host, or add the attachment to the subnet.");
            return;
        }
        final boolean trusted = allowed.stream().allMatch(Attachment::trusted);
        final Optional<Dhcp.Subnet> served = !address.isV4() || trusted ? Optional.empty()
            : tenant.services().dhcp().flatMap(dhcp -> dhcp.subnetOf(address.v4()))
                .filter(subnet -> subnet.bound().stream().anyMatch(range -> range.contains(address.v4())));
        if (served.isPresent()) {
            leased(subject, sender, address.v4(), served.orElseThrow(), walk);
        } else {
            walk.passes(Stage.GUARD, "Address " + address + " may be used at " + names(allowed) + ".");
        }
    }

    /** An address that a host has by a lease or a reservation alone. */
    private static void leased(final Subject subject, final Sender sender, final Ipv4 address,
            final Dhcp.Subnet served, final Walk walk) {
        final Optional<Dhcp.Reservation> reserved = served.reservations().stream()
            .filter(each -> each.address().equals(address) && (each.mac().isPresent() || each.attachment().isPresent()))
            .findFirst();
        if (reserved.isPresent()) {
            reserved(sender, address, reserved.orElseThrow(), walk);
            return;
        }
        final Optional<Lease> lease = subject.leases().filter(each -> each.address().equals(address)).findFirst();
        if (lease.isEmpty()) {
            walk.fails(Stage.LEASE, Cause.NO_LEASE, "Address " + address + " belongs to the DHCP pool of subnet "
                + served.prefix() + ", and no host has a lease of it, so packets from it are dropped.",
                "Let the host get its address by DHCP, or exclude the address from the pool.");
            return;
        }
        final Lease found = lease.orElseThrow();
        switch (found.state()) {
            case FREE -> walk.fails(Stage.LEASE, Cause.LEASE_ENDED, "The lease of " + address + " by " + found.mac()
                + " has ended, so packets from the address are dropped.", "Let the host renew its lease by DHCP.");
            case DECLINED -> walk.fails(Stage.LEASE, Cause.ADDRESS_DECLINED, "Address " + address + " was declined: "
                + "another host uses it, or used it.", "Find the host with a static address in the DHCP pool; then "
                + "release the lease of the address.");
            default -> bound(sender, found, walk);
        }
    }

    private static void bound(final Sender sender, final Lease lease, final Walk walk) {
        final Optional<Mac> other = sender.mac().filter(mac -> !mac.equals(lease.mac()));
        if (other.isPresent()) {
            walk.fails(Stage.LEASE, Cause.LEASE_OF_OTHER_HOST, "Host " + other.orElseThrow() + " uses "
                + lease.address()
                + ", but " + lease.mac() + " has the lease of this address.",
                "Let the host get an address of its own by DHCP.");
            return;
        }
        final Optional<String> elsewhere = sender.seen().stream().map(LearnedHost::attachment)
            .filter(name -> !lease.attachment().isEmpty() && !name.equals(lease.attachment())).findFirst();
        if (elsewhere.isPresent()) {
            walk.fails(Stage.LEASE, Cause.WRONG_ATTACHMENT, "Host " + lease.address() + " is at attachment "
                + elsewhere.orElseThrow() + ", but has got its lease at " + lease.attachment() + ".",
                "Let the host renew its lease where it is now.");
        } else {
            walk.passes(Stage.LEASE, "Host " + lease.mac() + " has the lease of " + lease.address() + ".");
        }
    }

    private static void reserved(final Sender sender, final Ipv4 address, final Dhcp.Reservation reservation,
            final Walk walk) {
        final Optional<Mac> other = sender.mac().filter(mac -> reservation.mac().isPresent()
            && !reservation.mac().orElseThrow().equals(mac));
        if (other.isPresent()) {
            walk.fails(Stage.LEASE, Cause.LEASE_OF_OTHER_HOST, "Address " + address + " is reserved for "
                + reservation.mac().orElseThrow() + ", but " + other.orElseThrow() + " uses it.",
                "Change the reservation, or give the host another address.");
        } else {
            walk.passes(Stage.LEASE, "Address " + address + " is reserved for this host.");
        }
    }

    private static void silent(final Subject subject, final Sender sender, final Walk walk) {
        if (!sender.seen().isEmpty()) {
            final LearnedHost host = sender.seen().get(0);
            walk.passes(Stage.HOST, "The switch of node " + host.node() + " has learned " + host.mac() + " at "
                + "attachment " + host.attachment() + " " + host.ageSeconds() + " s ago.");
            return;
        }
        final Optional<Address> router = sender.address().flatMap(address -> RouteCheck.nextHop(subject.tenant(),
            address));
        if (router.filter(subject::isSeen).isPresent()) {
            walk.passes(Stage.HOST, "Address " + sender.address().orElseThrow() + " is behind router "
                + router.orElseThrow() + ", which the switch has learned.");
            return;
        }
        final List<Attachment> expected = subject.attachments().stream()
            .filter(at -> subject.facts().node(at.node()).isKnown()).toList();
        if (expected.isEmpty()) {
            return;
        }
        final String silent = router.map(address -> "router " + address + " in front of " + sender.text())
            .orElse(sender.text());
        // A host with a wrong tag, or another one: the switch counts such frames, and keeps nothing of them.
        final String text = "No ARP of " + silent + " was accepted at " + names(expected) + " in the last 20 minutes"
            + expected.stream().flatMap(at -> vlans(subject, at).stream()).findFirst().map(vlans -> ", and " + vlans)
                .orElse("") + ".";
        final String remedy = "Check that the host is on, sends with VLAN " + expected.stream()
            .map(at -> Integer.toString(at.vlan())).distinct().collect(Collectors.joining(" or "))
            + ", and has this address.";
        router.or(sender::address).filter(Address::isV4).ifPresentOrElse(address -> walk.fails(Stage.HOST,
            Cause.HOST_SILENT, new Unheard(address.v4(), /* outside= */ false), text, remedy),
            () -> walk.fails(Stage.HOST, Cause.HOST_SILENT, text, remedy));
    }

    /** Frames with an unknown VLAN at the port of an attachment, in words, if some have come lately. */
    private static Optional<String> vlans(final Subject subject, final Attachment at) {
        return subject.facts().node(at.node()).drops().stream()
            .filter(drops -> drops.label().equals(UNKNOWN_VLAN + at.port()) && drops.recent() > 0)
            .findFirst().map(drops -> "port " + at.port() + " of node " + at.node() + " gets frames with a VLAN that "
            + "no attachment has (" + drops.recent() + " in the last minutes"
            + drops.last().map(last -> ", the last one reported: " + last).orElse("") + "); attachment " + at.name()
            + " has VLAN " + at.vlan());
    }

    private static String names(final List<Attachment> attachments) {
        return (attachments.size() == 1 ? "attachment " : "attachments ")
            + attachments.stream().map(Attachment::name).distinct().collect(Collectors.joining(", "));
    }
}
