// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import java.util.Arrays;
import java.util.HashSet;
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
        for (final int vrf : new int[] {Constants.FIRST_VRF, Constants.FIRST_VRF + 1, Constants.LAST_VRF}) {
            for (final TenantMeter meter : TenantMeter.values()) {
                assertThat(TenantMeter.of(meter.number(vrf))).contains(meter);
                assertThat(TenantMeter.vrfOf(meter.number(vrf))).isEqualTo(vrf);
            }
        }
        final int first = Constants.FIRST_VRF * TenantMeter.KINDS;
        final int last = Constants.LAST_VRF * TenantMeter.KINDS + TenantMeter.KINDS - 1;
        for (final int id : new int[] {0, 1, first - 1, last + 1, last + 2, FunctionMeter.number(1)}) {
            assertThat(TenantMeter.vrfOf(id)).isZero();
            assertThat(TenantMeter.of(id)).isEmpty();
        }
        assertThat(TenantMeter.vrfOf(first)).isEqualTo(Constants.FIRST_VRF);
        assertThat(TenantMeter.vrfOf(last)).isEqualTo(Constants.LAST_VRF);
        assertThat(IntStream.rangeClosed(Constants.FIRST_VRF, Constants.LAST_VRF).boxed()
            .flatMap(vrf -> Arrays.stream(TenantMeter.values()).map(meter -> meter.number(vrf))).toList())
            .doesNotHaveDuplicates();
    }

    @Test
    void theMeterOfAFunctionIsBehindThoseOfTenantsAndKnownToTheSwitch() {
        for (final int port : new int[] {1, 2, 4095}) {
            final int id = FunctionMeter.number(port);
            assertThat(id).isGreaterThan(TenantMeter.BLOCK_REQUESTS.number(Constants.LAST_VRF)).isLessThan(1 << 18);
            assertThat(FunctionMeter.portOf(id)).isEqualTo(port);
            assertThat(FunctionMeter.spec(port)).isEqualTo(new MeterSpec(id, MeterSpec.Unit.PACKETS, 40, 40));
        }
        assertThatThrownBy(() -> FunctionMeter.number(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FunctionMeter.number(4096)).isInstanceOf(IllegalArgumentException.class);
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
    void theZonesOfATenantAreItsAlone() {
        final Set<Integer> zones = new HashSet<>();
        for (int vrf = Constants.FIRST_VRF; vrf <= Constants.LAST_VRF; vrf++) {
            assertThat(zones.add(vrf)).isTrue();
            assertThat(zones.add(Constants.aclZone(vrf))).isTrue();
            if (vrf <= Constants.LAST_CHAIN_VRF) {
                assertThat(zones.add(Constants.chainZone(vrf))).isTrue();
            }
        }
        assertThat(zones).allMatch(zone -> zone > Constants.BACKBONE_VRF && zone <= 0xffff);
    }

    @Test
    void aSubnetHasAResolverAddressOfItsOwn() {
        assertThat(Ipv4.text(Constants.resolverAddress(0x6fff, 255))).isEqualTo("240.111.255.255");
        assertThat(Ipv4.text(Constants.resolverAddress(2, 0))).isEqualTo("240.0.2.0");
        assertThat(Constants.resolverAddress6(0x6fff, 255)).isEqualTo(Ipv6.parse("fd50:7300:0:6fff:ff::53"));
        assertThat(Constants.resolverAddress6(2, 0)).isEqualTo(Ipv6.parse("fd50:7300:0:2::53"));
        for (final int bad : new int[] {-1, 256}) {
            assertThatThrownBy(() -> Constants.resolverAddress(2, bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Constants.resolverAddress6(2, bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void addressesAndIdsOfANodeHaveItsNumber() {
        assertThat(Constants.backboneMac(0x1234)).isEqualTo(0x025053011234L);
        assertThat(Constants.datapathId(7, "")).isEqualTo(0x0050534e_0000_0007L);
        assertThat(Constants.GATEWAY_LINK_LOCAL).as("of 02:50:53:00:00:01 (RFC 4291, appendix A)")
            .isEqualTo(Ipv6.parse("fe80::50:53ff:fe00:1"));
        assertThat(Constants.servicePath(4094, false)).isEqualTo(4094);
        assertThat(Constants.servicePath(4094, true)).isEqualTo(0x1ffe);
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
