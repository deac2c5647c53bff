// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.registry.Register;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PacketInTest {
    @Test
    void aRegisterIsReadFromItsOwnBits() {
        final PacketIn packet = packet(Map.of(MatchField.REG0, 0x8101_0007L));
        assertThat(packet.value(Register.VRF)).isEqualTo(7);
        assertThat(packet.value(Register.DOMAIN)).isEqualTo(1);
        assertThat(packet.value(Register.FROM_BACKBONE)).isEqualTo(1);
        assertThat(packet.value(Register.BLOCK)).isEqualTo(2);
        assertThat(packet.value(Register.NEXT_HOP)).as("of which nothing was said").isZero();
    }

    @Test
    void anAddressIsReadFromFourRegisters() {
        assertThat(packet(Map.of(MatchField.REG8, 0x2001_0db8L, MatchField.REG10, 0xffff_0000L, MatchField.REG11, 9L))
            .address(Register.NEXT_HOP6)).isEqualTo(Ipv6.parse("2001:db8:0:0:ffff:0:0:9"));
        assertThat(packet(Map.of()).address(Register.NEXT_HOP6)).isEqualTo(Ipv6.UNSPECIFIED);
    }

    private static PacketIn packet(final Map<MatchField, Long> fields) {
        return new PacketIn(new SwitchId(1), 1, 0, 0, fields, new byte[0]);
    }
}
