// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.Table;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Ranges of fields of up to 128 bits, and matches on them. */
class FieldTest {
    private static final Ipv6 ADDRESS = Ipv6.parse("2001:db8:1:2:3:4:5:6");

    @Test
    void masksAndPlacesAreThoseOfLongNumbers() {
        for (int high = 0; high < 128; high++) {
            for (int low = 0; low <= high; low++) {
                final FieldRange range = new FieldRange(MatchField.IPV6_DST, high, low);
                final BigInteger all = BigInteger.ONE.shiftLeft(range.bits()).subtract(BigInteger.ONE);
                assertThat(number(range.maskHigh(), range.mask())).isEqualTo(all.shiftLeft(low));
                final long value = range.bits() >= 64 ? -7 : all.longValue() & 0x5555555555555555L;
                assertThat(number(range.placeHigh(value), range.place(value)))
                    .isEqualTo(number(0, value).shiftLeft(low));
            }
        }
    }

    @Test
    void aValueThatDoesNotFitIsRefused() {
        final FieldRange half = new FieldRange(MatchField.IPV6_DST, 126, 64);
        assertThat(half.place(Long.MAX_VALUE)).isZero();
        assertThatThrownBy(() -> half.place(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Action.Load(new FieldRange(MatchField.IPV6_DST, 64, 0), 1))
            .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Action.SetField(MatchField.IP_DST, ADDRESS))
            .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FieldMatch.prefix(MatchField.IPV6_DST, ADDRESS, 64))
            .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FieldMatch.prefix(MatchField.IPV6_DST, Ipv6.UNSPECIFIED, 0))
            .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMatchOnAWideRegisterIsOneOnItsParts() {
        assertThat(flow(FieldMatch.of(MatchField.XXREG2, ADDRESS)).matches()).containsExactly(
            FieldMatch.of(MatchField.REG8, 0x20010db8L), FieldMatch.of(MatchField.REG9, 0x10002L),
            FieldMatch.of(MatchField.REG10, 0x30004L), FieldMatch.of(MatchField.REG11, 0x50006L));
        assertThat(flow(FieldMatch.prefix(MatchField.XXREG3, ADDRESS.and(Ipv6.mask(48)), 48)).matches())
            .containsExactly(FieldMatch.of(MatchField.REG12, 0x20010db8L),
                FieldMatch.of(new FieldRange(MatchField.REG13, 31, 16), 1));
    }

    @Test
    void flowsAreTheSameByEitherName() {
        final FlowSpec wide = flow(FieldMatch.of(new FieldRange(MatchField.XXREG2, 111, 80), 0x80000001L));
        final FlowSpec parts = flow(FieldMatch.of(new FieldRange(MatchField.REG9, 31, 16), 1),
            FieldMatch.of(new FieldRange(MatchField.REG8, 15, 0), 0x8000));
        assertThat(wide).isEqualTo(parts).hasSameHashCodeAs(parts);
        assertThat(wide.key()).isEqualTo(parts.key());
    }

    @Test
    void theHighHalfCounts() {
        assertThat(FieldMatch.of(MatchField.IPV6_SRC, new Ipv6(1, 5)))
            .isNotEqualTo(FieldMatch.of(MatchField.IPV6_SRC, new Ipv6(2, 5)));
        assertThat(new Action.SetField(MatchField.IPV6_SRC, new Ipv6(1, 5)))
            .isNotEqualTo(new Action.SetField(MatchField.IPV6_SRC, 5));
        assertThat(FieldMatch.prefix(MatchField.IPV6_SRC, Ipv6.UNSPECIFIED, 64).isExact()).isFalse();
        assertThat(FieldMatch.of(new FieldRange(MatchField.IPV6_SRC, 63, 0), 5).isExact()).isFalse();
        assertThatThrownBy(() -> flow(FieldMatch.prefix(MatchField.IPV6_SRC, Ipv6.UNSPECIFIED, 3),
            FieldMatch.prefix(MatchField.IPV6_SRC, Ipv6.UNSPECIFIED, 2))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void registersOverlapUnderEitherName() {
        final FieldRange reg9 = new FieldRange(MatchField.REG9, 15, 8);
        assertThat(reg9.overlaps(MatchField.XXREG2.range())).isTrue();
        assertThat(new FieldRange(MatchField.XXREG2, 72, 72).overlaps(reg9)).isTrue();
        assertThat(new FieldRange(MatchField.XXREG2, 71, 0).overlaps(reg9)).isFalse();
        assertThat(new FieldRange(MatchField.XXREG2, 127, 80).overlaps(reg9)).isFalse();
        assertThat(MatchField.XXREG3.range().overlaps(reg9)).isFalse();
        assertThat(new FieldRange(MatchField.XXREG2, 79, 48).parts()).containsExactly(
            new FieldRange(MatchField.REG9, 15, 0), new FieldRange(MatchField.REG10, 31, 16));
    }

    @Test
    void textIsThatOfTheSwitch() {
        assertThat(List.of(FieldMatch.of(MatchField.IPV6_SRC, ADDRESS),
            FieldMatch.prefix(MatchField.IPV6_DST, Ipv6.parse("2000::"), 3),
            FieldMatch.of(new FieldRange(MatchField.IPV6_DST, 63, 0), 1), Fragment.NO.match(),
            Fragment.NOT_LATER.match(), FieldMatch.of(MatchField.ND_RESERVED, 0xe0000000L),
            FieldMatch.of(MatchField.XXREG2, new Ipv6(1, 2))))
            .extracting(FlowText::match).containsExactly("ipv6_src=2001:db8:1:2:3:4:5:6", "ipv6_dst=2000::/3",
                "ipv6_dst=::1/::ffff:ffff:ffff:ffff", "nw_frag=no", "nw_frag=not_later", "nd_reserved=0xe0000000",
                "xxreg2=0x10000000000000002");
    }

    @Test
    void theDefaultPrefixNeedsNoMatch() {
        assertThat(FieldMatch.in(MatchField.IP_DST, Prefix.DEFAULT)).isEmpty();
        assertThat(FieldMatch.in(MatchField.IPV6_DST, Prefix6.DEFAULT)).isEmpty();
        assertThat(FieldMatch.in(MatchField.IP_DST, Prefix.parse("10.0.1.0/24")))
            .containsExactly(new FieldMatch(MatchField.IP_DST, 0x0a000100L, 0xffffff00L));
        assertThat(FieldMatch.in(MatchField.IPV6_DST, Prefix6.parse("8000::/1"))).containsExactly(
            new FieldMatch(MatchField.IPV6_DST, 1L << 63, 0, 1L << 63, 0));
    }

    @Test
    void replacingAPrefixKeepsTheBitsBehindIt() {
        assertThat(Action.replace(MatchField.IP_SRC, Prefix.parse("10.0.1.0/24")))
            .isEqualTo(new Action.Load(new FieldRange(MatchField.IP_SRC, 31, 8), 0x0a0001L));
        assertThat(Action.replace(MatchField.IP_SRC, Prefix.parse("10.0.1.2/31")))
            .isEqualTo(new Action.Load(new FieldRange(MatchField.IP_SRC, 31, 1), 0x05000081L));
        assertThat(Action.replace(MatchField.IP_SRC, Prefix.parse("10.0.1.2/32")))
            .isEqualTo(new Action.SetField(MatchField.IP_SRC, Ipv4.parse("10.0.1.2")));
    }

    @Test
    void aConjunctionHasTwoClausesAtLeast() {
        assertThatThrownBy(() -> new Action.Conjunction(1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Action.Conjunction(1, 3, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Action.Conjunction(1, 0, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Action.Conjunction(0, 1, 2)).isInstanceOf(IllegalArgumentException.class);
    }

    private static BigInteger number(final long high, final long low) {
        return new BigInteger(Long.toUnsignedString(high)).shiftLeft(64).or(new BigInteger(Long.toUnsignedString(low)));
    }

    private static FlowSpec flow(final FieldMatch... matches) {
        return new FlowSpec(Table.CLASSIFY, 1, List.of(matches), List.of(), Optional.empty(), 1, 0);
    }
}
