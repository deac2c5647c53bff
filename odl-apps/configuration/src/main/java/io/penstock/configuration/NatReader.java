// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv4;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Translation of a tenant's addresses. */
final class NatReader {
    private static final String INSIDE = "inside-prefix";
    private static final String PUBLIC = "public-prefix";

    private NatReader() {
        // Only functions.
    }

    static Optional<Tenant.Nat> read(final Leaves tenant) throws UnreadableException {
        final Optional<Tenant.Nat> nat = tenant.child("nat", NatReader::nat);
        if (nat.isPresent() && !nat.orElseThrow().hasSource() && nat.orElseThrow().mappings().isEmpty()) {
            throw tenant.refusal("nat", "needs a public-address, a pool, one-to-one, deterministic or port-block");
        }
        return nat;
    }

    private static Tenant.Nat nat(final Leaves nat) throws UnreadableException {
        return new Tenant.Nat(nat.optional("public-address", Ipv4::parse), nat.leaf("pool"),
            nat.each(Tenant.OneToOne.KIND, INSIDE, each ->
                new Tenant.OneToOne(each.prefix(INSIDE), each.prefix(PUBLIC))),
            nat.each(Tenant.Deterministic.KIND, INSIDE, each -> new Tenant.Deterministic(each.prefix(INSIDE),
                each.prefix(PUBLIC), each.isSet("endpoint-independent"))),
            nat.each(Tenant.PortBlocks.KIND, INSIDE, each -> new Tenant.PortBlocks(each.prefix(INSIDE),
                each.prefix(PUBLIC), each.count("block-size"), each.count("most-blocks"), each.isSet("force"),
                each.prefixes("drain"), NetworkReader.thresholds(each), each.isSet("endpoint-independent"))),
            nat.each("port-forward", "name", NatReader::portForward),
            nat.sorted("alg").stream().map(alg -> Alg.valueOf(alg.toUpperCase(Locale.ROOT)))
                .collect(Collectors.toSet()),
            nat.each("twice", "seen-prefix", each ->
                new Tenant.Twice(each.prefix("seen-prefix"), each.prefix("outside-prefix"))));
    }

    private static Tenant.PortForward portForward(final Leaves forward) throws UnreadableException {
        final int publicPort = forward.count("public-port");
        return new Tenant.PortForward(forward.text("name"), IpProtocol.number(forward.text("protocol")),
            publicPort, forward.address("inside-address"), forward.number("inside-port").orElse(publicPort));
    }
}
