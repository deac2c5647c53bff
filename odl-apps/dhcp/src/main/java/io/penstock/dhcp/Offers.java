// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.pipeline.net.Ipv4;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Addresses of a VRF that were offered to somebody who has not answered yet. Few, for a short time. */
final class Offers {
    /** How long an address is kept for whom it was offered to: three tries of RFC 2131, section 4.1. Seconds. */
    static final int HOLD_SECONDS = 30;
    /** Most offers of a VRF. Of more the oldest are forgotten, and honoured yet if nobody else got the address. */
    static final int MOST = 1024;

    /**
     * An offer.
     *
     * @param probed whether it was sent; or else nobody knows yet if the address is free
     */
    record Offer(Ipv4 address, boolean probed, long until) { }

    /** Oldest first. */
    private final LinkedHashMap<String, Offer> byClient = new LinkedHashMap<>();
    private final Map<Ipv4, String> byAddress = new HashMap<>();
    private final AddressRuns addresses = new AddressRuns();

    /** The offer to a client. */
    Optional<Offer> to(final String client) {
        return Optional.ofNullable(byClient.get(client));
    }

    /** Whether an address was offered to another client. */
    boolean isOthers(final Ipv4 address, final String client) {
        final String holder = byAddress.get(address);
        return holder != null && !holder.equals(client);
    }

    /** The number of the first address from that of a number on that no client was offered; 2^32 when there is none. */
    long nextUnoffered(final long from) {
        return addresses.nextAbsent(from);
    }

    /** Keeps an address for a client, who has no other from now on. */
    void hold(final String client, final Ipv4 address, final boolean probed, final long now) {
        remove(client);
        byClient.put(client, new Offer(address, probed, now + HOLD_SECONDS));
        byAddress.put(address, client);
        addresses.add(address.number());
        if (byClient.size() > MOST) {
            remove(byClient.keySet().iterator().next());
        }
    }

    /** Forgets the offer to a client. */
    void remove(final String client) {
        final Offer offer = byClient.remove(client);
        if (offer != null) {
            byAddress.remove(offer.address());
            addresses.remove(offer.address().number());
        }
    }

    /** Forgets what nobody took in time. */
    void expire(final long now) {
        while (!byClient.isEmpty()) {
            final Iterator<Map.Entry<String, Offer>> oldest = byClient.entrySet().iterator();
            final Map.Entry<String, Offer> entry = oldest.next();
            if (entry.getValue().until() > now) {
                return;
            }
            remove(entry.getKey());
        }
    }
}
