// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.RawOptions;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The options of a subnet as they go into messages. */
final class ConfiguredOptions {
    private final Dhcp.Subnet subnet;
    /** What does not depend on the message. */
    private final Map<Integer, Bytes> fixed = new LinkedHashMap<>();
    private final Map<Integer, Bytes> raw = new LinkedHashMap<>();

    ConfiguredOptions(final Dhcp.Subnet subnet) {
        this.subnet = subnet;
        final Dhcp.Options options = subnet.options();
        fixed.put(OptionCode.SUBNET_MASK, addresses(List.of(subnet.prefix().mask())));
        putAddresses(fixed, OptionCode.ROUTERS, options.routers());
        putAddresses(fixed, OptionCode.DNS_SERVERS, options.dnsServers());
        putText(OptionCode.DOMAIN, options.domain());
        options.mtu().ifPresent(mtu -> fixed.put(OptionCode.MTU, new BytesWriter().u16(mtu).bytes()));
        putAddresses(fixed, OptionCode.NTP_SERVERS, options.ntpServers());
        putText(OptionCode.TFTP_SERVER, options.tftpServer());
        putText(OptionCode.BOOT_FILE, options.bootFile());
        final Bytes search = DomainNames.encode(options.search());
        if (!search.isEmpty()) {
            fixed.put(OptionCode.DOMAIN_SEARCH, search);
        }
        // What a commit check would have refused is not sent.
        options.raw().stream().filter(option -> RawOptions.problem(option).isEmpty())
            .forEach(option -> raw.put(option.code(), Bytes.of(RawOptions.bytes(option))));
    }

    /** Whether clients are told routers that are known without the message. */
    boolean hasRouters() {
        return !subnet.options().routers().isEmpty() || raw.containsKey(OptionCode.ROUTERS);
    }

    /**
     * All options for a client by their codes.
     *
     * @param router the router unless one is configured
     * @param resolver the resolver unless one is configured
     * @param hostName the name that is kept for the client
     */
    Map<Integer, Bytes> with(final Optional<Ipv4> router, final Optional<Ipv4> resolver,
            final Optional<String> hostName) {
        final Map<Integer, Bytes> all = new LinkedHashMap<>(fixed);
        router.ifPresent(address -> all.putIfAbsent(OptionCode.ROUTERS, addresses(List.of(address))));
        resolver.ifPresent(address -> all.putIfAbsent(OptionCode.DNS_SERVERS, addresses(List.of(address))));
        hostName.ifPresent(name -> all.put(OptionCode.HOST_NAME, Bytes.ofText(name)));
        if (!subnet.options().staticRoutes().isEmpty()) {
            all.put(OptionCode.CLASSLESS_ROUTES, routes(all.get(OptionCode.ROUTERS)));
        }
        all.putAll(raw);
        return all;
    }

    /** RFC 3442: who takes this option passes the routers over, so the way to everywhere has to be in it. */
    private Bytes routes(final @Nullable Bytes routers) {
        final List<Route> routes = new ArrayList<>(subnet.options().staticRoutes());
        if (routers != null && routes.stream().noneMatch(route -> route.prefix().equals(Prefix.DEFAULT))) {
            routes.add(new Route(Prefix.DEFAULT, new Ipv4(routers.u32(0))));
        }
        final BytesWriter bytes = new BytesWriter();
        for (final Route route : routes) {
            bytes.u8(route.prefix().length());
            for (int bit = 0; bit < route.prefix().length(); bit += 8) {
                bytes.u8((int) (route.prefix().address().number() >> 24 - bit));
            }
            bytes.u32(route.nextHop().number());
        }
        return bytes.bytes();
    }

    private void putText(final int code, final Optional<String> text) {
        text.filter(value -> !value.isEmpty()).ifPresent(value -> fixed.put(code, Bytes.ofText(value)));
    }

    private static void putAddresses(final Map<Integer, Bytes> options, final int code, final List<Ipv4> addresses) {
        if (!addresses.isEmpty()) {
            options.put(code, addresses(addresses));
        }
    }

    private static Bytes addresses(final List<Ipv4> addresses) {
        final BytesWriter bytes = new BytesWriter();
        addresses.forEach(address -> bytes.u32(address.number()));
        return bytes.bytes();
    }
}
