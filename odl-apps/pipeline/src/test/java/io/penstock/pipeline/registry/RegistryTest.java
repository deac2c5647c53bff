// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The registry agrees with itself. */
class RegistryTest {
    @Test
    void tableNumbersAreUniqueAndInOrder() {
        assertThat(Arrays.stream(Table.values()).map(Table::number).toList()).isSorted().doesNotHaveDuplicates();
        assertThat(Table.EGRESS.number()).isLessThan(255);
    }

    /** The exceptions have their reasons where these tables are declared. */
    @Test
    void tablesOnlyLeadForward() {
        for (final Table table : Table.values()) {
            final Contract contract = Contract.of(table);
            assertThat(contract.next()).as(table.name()).allMatch(next -> next.number() > table.number());
            final List<Table> back = Stream.concat(contract.lookups().stream(), contract.tracks().stream())
                .filter(other -> other.number() <= table.number()).toList();
            final List<Table> permitted = switch (table) {
                case NAT_OUT_CHECK -> List.of(Table.NAT_OUT_CHECK);
                case NAT_BEGIN -> List.of(Table.NAT_TRANSLATE, Table.NAT_OUT_CHECK);
                case BACKBONE_ROUTE -> List.of(Table.BACKBONE_IN);
                case AFTER_TRACKED -> List.copyOf(contract.lookups());
                default -> List.of();
            };
            assertThat(back).as(table.name()).isEqualTo(permitted);
        }
    }

    @Test
    void whatIsTrackedGoesOnWhereTablesSayThatItMay() {
        assertThat(Contract.of(Table.AFTER_TRACKED).lookups()).containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Table.values()).flatMap(table -> Contract.of(table).tracks().stream()).distinct().toList());
    }

    /** The node drops its cached flows after a change of these tables, and not after one of others (ADR 26). */
    @Test
    void tablesThatSteerAreThoseOfChainsAndOfLists() {
        assertThat(Arrays.stream(Table.values()).filter(Table::steers)).containsExactly(Table.CHAIN_ROUTED,
            Table.CHAIN_RETURN, Table.CHAIN_RULE, Table.CHAIN_STEER, Table.CHAIN_IN, Table.TENANT_ACL_IN,
            Table.TENANT_ACL_IN_DENIED, Table.TENANT_ACL_IN_TRACK, Table.TENANT_ACL_IN_REPLY, Table.TENANT_ACL,
            Table.TENANT_ACL_DENIED, Table.TENANT_ACL_TRACK, Table.TENANT_ACL_REPLY, Table.CHAIN_OUT,
            Table.BACKBONE_ACL, Table.CHAIN_BRANCH, Table.CHAIN_SIDE, Table.CHAIN_TRACK, Table.CHAIN_KNOWN,
            Table.CHAIN_INSTANCE, Table.CHAIN_PICK, Table.CHAIN_KEEP, Table.CHAIN_ENTER);
    }

    @Test
    void registersThatShareBitsLiveApart() {
        for (final Register one : Register.values()) {
            for (final Register other : Register.values()) {
                final boolean shared = one != other && one.range().overlaps(other.range());
                final boolean meet = one.first().number() <= other.last().number()
                    && other.first().number() <= one.last().number();
                assertThat(shared && meet).as(one + " and " + other).isFalse();
            }
        }
    }

    @Test
    void aRegisterRefusesAValueThatDoesNotFit() {
        assertThatThrownBy(() -> Register.VRF.load(0x10000)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new FieldRange(MatchField.REG0, 32, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aCookieLeadsBackToItsOwner() {
        final long cookie = Cookie.of(Cookie.Kind.TENANT, 4242);
        assertThat(Cookie.is(cookie, Cookie.Kind.TENANT)).isTrue();
        assertThat(Cookie.is(cookie, Cookie.Kind.LEARNED)).isFalse();
        assertThat(Cookie.ownerId(cookie)).isEqualTo(4242);
        assertThat(Arrays.stream(Cookie.Kind.values()).map(Cookie.Kind::number).toList()).doesNotHaveDuplicates();
    }

    @Test
    void aSessionGoesBeforeTheTranslationItCopies() {
        for (final CtTimeout timeout : List.of(CtTimeout.TCP_ESTABLISHED, CtTimeout.UDP_FIRST, CtTimeout.UDP_SINGLE,
                CtTimeout.UDP_MULTIPLE)) {
            assertThat(Constants.SESSION_HARD_SECONDS).as(timeout.name()).isLessThan(timeout.seconds());
        }
        assertThat(Constants.SESSION_IDLE_SECONDS).isLessThan(Constants.SESSION_HARD_SECONDS);
    }

    @Test
    void metersAreUnique() {
        assertThat(Arrays.stream(Meter.values()).map(Meter::number).toList()).doesNotHaveDuplicates()
            .allMatch(number -> number > 0);
        assertThat(Arrays.stream(TenantMeter.values()).map(TenantMeter::kind).toList()).doesNotHaveDuplicates()
            .allMatch(kind -> kind >= 0 && kind <= TenantMeter.KINDS + 1);
        for (final TenantMeter meter : TenantMeter.values()) {
            assertThat(TenantMeter.vrfOf(meter.number(new VrfId(VrfId.FIRST)))).contains(new VrfId(VrfId.FIRST));
            assertThat(TenantMeter.vrfOf(meter.number(new VrfId(VrfId.LAST)))).contains(new VrfId(VrfId.LAST));
            // What Open vSwitch knows: MAX_METERS, lib/dpif-netdev.c.
            assertThat(meter.number(new VrfId(VrfId.LAST))).isLessThan(1 << 18);
        }
        for (final Meter meter : Meter.values()) {
            assertThat(TenantMeter.vrfOf(meter.number())).isEmpty();
        }
    }

    @Test
    void prioritiesKeepTheirOrder() {
        assertThat(Priority.prefix(0)).isGreaterThan(Priority.HIGH);
        assertThat(Priority.GUARD).isGreaterThan(Priority.prefix(32));
        assertThat(Priority.aclEntry(0)).isGreaterThan(Priority.aclEntry(1)).isLessThanOrEqualTo(0xffff);
        assertThat(Priority.FIRST).isGreaterThan(Priority.GUARD);
        assertThat(Priority.aclEntry(Priority.ACL_ENTRIES - 1)).isGreaterThan(Priority.FIRST);
    }
}
