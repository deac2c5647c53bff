// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Numbers that the data plane derives from ids, bit by bit, and their limits. */
class NumbersTest {
    @Test
    void aRegisterIsReadAndWrittenAtItsOwnBits() {
        assertThat(Register.VRF.in(0xdead1234L)).isEqualTo(0x1234);
        assertThat(Register.DOMAIN.in(0xdeadbeefL)).isEqualTo(0xad);
        assertThat(Register.BLOCK.in(0xc0000000L)).isEqualTo(3);
        assertThat(Register.BLOCK.in(0x3fffffffL)).isZero();
        assertThat(Register.CHAIN.in(0xfe000000L)).isEqualTo(0x7f);
        assertThat(Register.DOMAIN.load(0xad)).isEqualTo(new Action.Load(Register.DOMAIN.range(), 0xad));
        assertThat(Register.DOMAIN.is(0xad).value()).isEqualTo(0xad0000);
        assertThat(Register.DOMAIN.is(0xad).mask()).isEqualTo(0xff0000);
        assertThat(Register.DOMAIN.is(0xad).field()).isEqualTo(MatchField.REG0);
    }

    @Test
    void aPlaceIsPortThenVlan() {
        assertThat(Register.place(0xfeff, 4094)).isEqualTo(0xfeffffeL);
        assertThat(Register.place(1, 0)).isEqualTo(0x1000);
        assertThat(Register.IN_ATTACHMENT.load(Register.place(0xfeff, 4094))).isNotNull();
    }

    @Test
    void aCookieHasMagicVersionKindAndOwner() {
        assertThat(Cookie.of(Cookie.Kind.SESSION, 0x6fff)).isEqualTo(0x9e04_0500_0000_6fffL);
        assertThat(Cookie.ownerId(Cookie.of(Cookie.Kind.NODE, -1))).isEqualTo(-1);
        final long cookie = Cookie.of(Cookie.Kind.NODE, -1);
        assertThat(Cookie.is(cookie, Cookie.Kind.NODE)).isTrue();
        for (int bit = 32; bit < 64; bit++) {
            assertThat(Cookie.is(cookie ^ 1L << bit, Cookie.Kind.NODE)).as("bit " + bit).isFalse();
        }
    }

    @Test
    void aMeterLeadsBackToItsTenantAndKind() {
        for (final VrfId vrf : List.of(new VrfId(VrfId.FIRST), new VrfId(VrfId.FIRST + 1), new VrfId(VrfId.LAST))) {
            for (final TenantMeter meter : TenantMeter.values()) {
                assertThat(TenantMeter.of(meter.number(vrf))).contains(meter);
                assertThat(TenantMeter.vrfOf(meter.number(vrf))).contains(vrf);
            }
        }
        final int first = VrfId.FIRST * TenantMeter.KINDS;
        final int last = VrfId.LAST * TenantMeter.KINDS + TenantMeter.KINDS - 1;
        for (final int id : new int[] {0, 1, first - 1, last + 1, last + 2, FunctionMeter.number(1)}) {
            assertThat(TenantMeter.vrfOf(id)).isEmpty();
            assertThat(TenantMeter.of(id)).isEmpty();
        }
        assertThat(TenantMeter.vrfOf(first)).contains(new VrfId(VrfId.FIRST));
        assertThat(TenantMeter.vrfOf(last)).contains(new VrfId(VrfId.LAST));
        assertThat(IntStream.rangeClosed(VrfId.FIRST, VrfId.LAST).mapToObj(VrfId::new)
            .flatMap(vrf -> Arrays.stream(TenantMeter.values()).map(meter -> meter.number(vrf))).toList())
            .doesNotHaveDuplicates();
    }

    @Test
    void theMeterOfAFunctionIsBehindThoseOfTenantsAndKnownToTheSwitch() {
        for (final int port : new int[] {1, 2, 6143}) {
            final int id = FunctionMeter.number(port);
            assertThat(id).isGreaterThan(TenantMeter.FRAGMENTS.number(new VrfId(VrfId.LAST))).isLessThan(1 << 18);
            assertThat(FunctionMeter.portOf(id)).isEqualTo(port);
            assertThat(FunctionMeter.spec(port)).isEqualTo(new MeterSpec(id, MeterSpec.Unit.PACKETS, 40, 40));
        }
        assertThatThrownBy(() -> FunctionMeter.number(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FunctionMeter.number(6144)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMeterHasTheLimitsOfTheSwitch() {
        final long most = 0xffffffffL;
        assertThat(new MeterSpec(1, MeterSpec.Unit.PACKETS, 1, 1).text()).contains("meter=1,", "pktps", "rate=1,");
        assertThat(new MeterSpec((1 << 18) - 1, MeterSpec.Unit.KILOBITS, most, most).text())
            .contains("meter=262143,", "kbps", "rate=4294967295,", "burst_size=4294967295");
        assertRefused(0, 1, 1);
        assertRefused(1 << 18, 1, 1);
        assertRefused(1, 0, 1);
        assertRefused(1, most + 1, 1);
        assertRefused(1, 1, 0);
        assertRefused(1, 1, most + 1);
        for (final Meter meter : Meter.values()) {
            assertThat(meter.spec()).isEqualTo(
                new MeterSpec(meter.number(), MeterSpec.Unit.PACKETS, meter.rate(), meter.burst()));
        }
    }

    private static void assertRefused(final int id, final long rate, final long burst) {
        assertThatThrownBy(() -> new MeterSpec(id, MeterSpec.Unit.PACKETS, rate, burst))
            .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void prioritiesOfListsHaveTheirLimits() {
        for (int length = 1; length <= 128; length++) {
            assertThat(Priority.prefix(length)).as("longest prefix first").isGreaterThan(Priority.prefix(length - 1));
        }
        assertThat(Priority.chainRule(0)).isLessThan(Priority.prefix(0)).isGreaterThan(Priority.chainRule(1));
        assertThat(Priority.chainRule(Priority.CHAIN_RULES - 1)).isGreaterThan(Priority.HIGH);
        assertThat(Priority.aclEntry(0)).isLessThan(Priority.TOP).isEqualTo(Priority.aclEntry(1) + 1);
        for (final int bad : new int[] {-1, Priority.CHAIN_RULES}) {
            assertThatThrownBy(() -> Priority.chainRule(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        for (final int bad : new int[] {-1, Priority.ACL_ENTRIES}) {
            assertThatThrownBy(() -> Priority.aclEntry(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aNumberIsAVrfOrNone() {
        assertThat(VrfId.of(1)).contains(VrfId.BACKBONE);
        assertThat(VrfId.of(0x63ff)).contains(new VrfId(VrfId.LAST));
        for (final long none : new long[] {-1, 0, 0x6400, 1L << 32 | 2}) {
            assertThat(VrfId.of(none)).isEmpty();
        }
        assertThatThrownBy(() -> new VrfId(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new VrfId(0x6400)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aCookieLeadsToItsVrf() {
        for (final Cookie.Kind kind : Cookie.Kind.values()) {
            assertThat(Cookie.vrf(Cookie.of(kind, 7)).isPresent()).as(kind.name()).isEqualTo(
                kind == Cookie.Kind.TENANT || kind == Cookie.Kind.LEARNED || kind == Cookie.Kind.SESSION);
        }
        assertThat(Cookie.vrf(Cookie.of(Cookie.Kind.TENANT, new VrfId(7)))).contains(new VrfId(7));
        assertThat(Cookie.vrf(Cookie.of(Cookie.Kind.LEARNED, 0))).isEmpty();
        assertThat(Cookie.vrf(7)).isEmpty();
    }

    @Test
    void theZonesOfATenantAreItsAlone() {
        final Set<Integer> zones = new HashSet<>();
        for (int number = VrfId.FIRST; number <= VrfId.LAST; number++) {
            final VrfId vrf = new VrfId(number);
            assertThat(zones.add(vrf.natZone())).isTrue();
            assertThat(zones.add(vrf.aclZone())).isTrue();
            if (vrf.isTag()) {
                assertThat(zones.add(vrf.chainZone())).isTrue();
            }
        }
        assertThat(zones).allMatch(zone -> zone > VrfId.BACKBONE.number() && zone <= 0xffff);
    }

    @Test
    void aSubnetHasAResolverAddressOfItsOwn() {
        assertThat(new VrfId(0x63ff).resolverAddress(255).toString()).isEqualTo("240.99.255.255");
        assertThat(new VrfId(2).resolverAddress(0).toString()).isEqualTo("240.0.2.0");
        assertThat(new VrfId(0x63ff).resolverAddress6(255)).isEqualTo(Ipv6.parse("fd50:7300:0:63ff:ff::53"));
        assertThat(new VrfId(2).resolverAddress6(0)).isEqualTo(Ipv6.parse("fd50:7300:0:2::53"));
        for (final int bad : new int[] {-1, 256}) {
            assertThatThrownBy(() -> new VrfId(2).resolverAddress(bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> new VrfId(2).resolverAddress6(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void addressesAndIdsOfANodeHaveItsNumber() {
        assertThat(Constants.backboneMac(0x1234)).isEqualTo(new Mac(0x025053011234L));
        assertThat(Constants.datapathId(7, "")).isEqualTo(0x0050534e_0000_0007L);
        assertThat(Constants.GATEWAY_LINK_LOCAL).as("of 02:50:53:00:00:01 (RFC 4291, appendix A)")
            .isEqualTo(Ipv6.parse("fe80::50:53ff:fe00:1"));
        assertThat(new VrfId(4094).servicePath(false)).isEqualTo(4094);
        assertThat(new VrfId(4094).servicePath(true)).isEqualTo(0x1ffe);
    }

    @Test
    void datapathIdsOfASecretAreNotGuessedFromOneAnother() {
        final String secret = "5".repeat(64);
        assertThat(Constants.datapathId(7, secret)).isPositive().isEqualTo(Constants.datapathId(7, secret));
        assertThat(Constants.nodeId(Constants.datapathId(7, secret))).isEqualTo(7);
        assertThat(Constants.nodeId(Constants.datapathId(65535, secret))).isEqualTo(65535);
        final long distinct = IntStream.rangeClosed(1, 65535).mapToLong(id -> Constants.datapathId(id, secret) >>> 16)
            .distinct().count();
        assertThat(distinct).as("of 2^47, by chance two may be the same").isGreaterThan(65530);
        assertThat(Constants.datapathId(7, "6".repeat(64)) >>> 16).isNotEqualTo(Constants.datapathId(7, secret) >>> 16);
    }

    @Test
    void numbersOfOthersAreNoTableAndNoErrorKind() {
        for (final Table table : Table.values()) {
            assertThat(Table.ofNumber(table.number())).contains(table);
            assertThat(table.text()).isEqualToIgnoringCase(table.name()).isLowerCase();
        }
        assertThat(Table.ofNumber(254)).isEmpty();
        for (final ErrorKind kind : ErrorKind.values()) {
            assertThat(ErrorKind.ofNumber(kind.number())).contains(kind);
            assertThat(kind.number()).isBetween(1, 7);
        }
        assertThat(ErrorKind.ofNumber(0)).isEqualTo(Optional.empty());
    }
}
