// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.ipv6;

import io.penstock.frames.RouterAdvertisement;
import io.penstock.frames.RouterAdvertisement.OnLink;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Ipv6Side.Advertisement;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the router says on one link: of all IPv6 subnets that are there together, since a host hears one router.
 *
 * @param subnets in the order of their prefixes
 * @param answersNames whether the gateways answer DNS
 */
record Announcement(List<Ipv6Side.Subnet> subnets, boolean answersNames) {
    /** There is no IPv6. */
    static final Announcement NONE = new Announcement(List.of(), false);

    /** RFC 4861, section 6.2.1. Seconds. */
    private static final long VALID = 2_592_000;
    private static final long PREFERRED = 604_800;
    /** RFC 8106, section 5.1: names hold for three intervals. */
    private static final int NAMES_INTERVALS = 3;

    /** What is said where an attachment is. */
    static Announcement of(final Tenant tenant, final Tenant.Attachment attachment) {
        return new Announcement(tenant.ipv6().subnets().stream()
            .filter(subnet -> subnet.attachments().isEmpty() || subnet.attachments().contains(attachment.name()))
            .toList(), tenant.services().dns().isPresent());
    }

    /** The same for all attachments that an IPv6 subnet is on, each subnet looked at once. */
    static Map<Tenant.Attachment, Announcement> all(final Tenant tenant) {
        final Map<Tenant.Attachment, List<Ipv6Side.Subnet>> subnets = new HashMap<>();
        for (final Ipv6Side.Subnet subnet : tenant.ipv6().subnets()) {
            tenant.attachmentsOf(subnet).forEach(at -> subnets.computeIfAbsent(at, each -> new ArrayList<>())
                .add(subnet));
        }
        final boolean answersNames = tenant.services().dns().isPresent();
        final Map<Tenant.Attachment, Announcement> all = new HashMap<>();
        subnets.forEach((at, there) -> all.put(at, new Announcement(List.copyOf(there), answersNames)));
        return all;
    }

    boolean isEmpty() {
        return subnets.isEmpty();
    }

    /** Longest time between two advertisements, seconds. */
    int interval() {
        return told().mapToInt(Advertisement::interval).min().orElse(Advertisement.INTERVAL);
    }

    /** The prefixes that hosts may have made addresses of. */
    List<Prefix6> prefixes() {
        return subnets.stream().map(Ipv6Side.Subnet::prefix).toList();
    }

    /** The domains in which short names are looked for. */
    List<String> domains() {
        return told().flatMap(each -> each.domains().stream()).distinct().toList();
    }

    /**
     * The resolvers: those that are configured for subnets there, or else the gateway of the first one if it answers.
     * One is enough, for behind all gateways is the same resolver.
     */
    List<Ipv6> resolvers() {
        final List<Ipv6> configured = told().flatMap(each -> each.resolvers().stream()).distinct().toList();
        return configured.isEmpty() && answersNames
            ? subnets.stream().limit(1).map(Ipv6Side.Subnet::gateway).toList() : configured;
    }

    /** All of some kind that the subnets tell. */
    Stream<Advertisement> told() {
        return subnets.stream().map(Ipv6Side.Subnet::advertisement);
    }

    /**
     * The advertisement.
     *
     * @param withdrawn prefixes that were told before and are no more
     */
    RouterAdvertisement advertisement(final Collection<Prefix6> withdrawn) {
        final Optional<Integer> mtu = told().flatMap(each -> each.mtu().stream()).min(Integer::compare);
        final Stream<OnLink> prefixes = subnets.stream().map(subnet -> new OnLink(
            Addresses.bytes(subnet.prefix().address()), subnet.prefix().length(), subnet.advertisement().slaac(), VALID,
            PREFERRED));
        final Stream<OnLink> gone = withdrawn.stream().filter(prefix -> !prefixes().contains(prefix))
            .map(prefix -> new OnLink(Addresses.bytes(prefix.address()), prefix.length(), true, 0, 0));
        return new RouterAdvertisement(told().anyMatch(Advertisement::otherConfig),
            told().mapToInt(Advertisement::lifetime).max().orElse(0), mtu, Stream.concat(prefixes, gone).toList(),
            Addresses.bytes(resolvers()), domains(),
            (long) NAMES_INTERVALS * interval());
    }
}
